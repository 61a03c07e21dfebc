import type { SQSEvent, SQSRecord } from 'aws-lambda'
import type { Clock } from '../../../lib/ambient/ports.ts'
import type { Invocation } from '../../../lib/runtime/runtime.ts'

export function anSqsRecord(
  messageId: string,
  body: string,
  options: { readonly senderID?: string; readonly receiveCount?: number } = {},
): SQSRecord {
  return {
    messageId,
    receiptHandle: `receipt-${messageId}`,
    body,
    attributes: {
      ApproximateReceiveCount: String(options.receiveCount ?? 1),
      SentTimestamp: '1767225600000',
      SenderId: options.senderID ?? 'AROAWATCHER:watcher',
      ApproximateFirstReceiveTimestamp: '1767225600000',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:kpssh-test-join',
    awsRegion: 'eu-central-1',
  }
}

export function anSqsEvent(...records: readonly SQSRecord[]): SQSEvent {
  return { Records: [...records] }
}

/** An invocation with a minute left on the given clock. */
export function anInvocation(clock: Clock, timeoutMs = 60_000): Invocation {
  const endsAtMs = clock.nowMs() + timeoutMs
  return {
    awsRequestId: '00000000-0000-4000-8000-000000000000',
    getRemainingTimeInMillis: () => endsAtMs - clock.nowMs(),
  }
}
