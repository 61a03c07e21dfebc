// The SQS event source of the local stack: what Lambda's own pollers do on AWS. One long poll per queue is always open
// while there is room for another invocation, so a message is handled the moment it arrives; up to `maxConcurrency` batches
// are in flight. What a function reports as failed stays in the queue and comes back after the visibility timeout, or goes
// to the dead-letter queue by redrive: both are the queue's own affair.
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { failedRecordIds } from './partial-batch.ts'

export interface QueueSource {
  readonly functionName: string
  readonly queueUrl: string
  readonly queueArn: string
  readonly region: string
  readonly batchSize: number
  readonly maxConcurrency: number
  readonly reportsBatchItemFailures: boolean
}

export interface QueueSourceDeps {
  readonly sqs: SQSClient
  /** Rejects when the function threw or timed out: the whole batch failed. */
  readonly invoke: (functionName: string, event: SQSEvent) => Promise<unknown>
  readonly warn: (message: string, error: unknown) => void
}

export interface RunningQueueSource {
  /** Stops polling at once and resolves when the batches in flight are done. */
  stop(): Promise<void>
}

const pauseAfterErrorMs = 500

export function startQueueSource(source: QueueSource, deps: QueueSourceDeps): RunningQueueSource {
  const stopping = new AbortController()
  const inFlight = new Set<Promise<void>>()

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const messages = await receive(source, deps, stopping.signal)
      if (messages.length > 0) {
        const batch = deliver(source, messages, deps)
        inFlight.add(batch)
        void batch.then(() => inFlight.delete(batch))
      }
      if (inFlight.size >= source.maxConcurrency) await Promise.race(inFlight)
    }
  }

  const polling = poll()
  return {
    async stop() {
      stopping.abort()
      await polling
      await Promise.all(inFlight)
    },
  }
}

async function receive(
  source: QueueSource,
  deps: QueueSourceDeps,
  signal: AbortSignal,
): Promise<readonly Message[]> {
  try {
    const { Messages } = await deps.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: source.queueUrl,
        MaxNumberOfMessages: Math.min(source.batchSize, 10),
        WaitTimeSeconds: 20,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: signal },
    )
    return Messages ?? []
  } catch (error) {
    if (!signal.aborted) {
      deps.warn(`Cannot receive from "${source.queueUrl}"`, error)
      await new Promise((resolve) => setTimeout(resolve, pauseAfterErrorMs))
    }
    return []
  }
}

async function deliver(
  source: QueueSource,
  messages: readonly Message[],
  deps: QueueSourceDeps,
): Promise<void> {
  try {
    const records = messages.map((message) => recordOf(message, source))
    const reply = await deps.invoke(source.functionName, { Records: records })
    const failed = source.reportsBatchItemFailures
      ? failedRecordIds(
          reply,
          records.map((record) => record.messageId),
        )
      : new Set<string>()
    const done = messages.filter((message) => !failed.has(message.MessageId ?? ''))
    if (done.length > 0) await remove(source, done, deps)
  } catch (error) {
    deps.warn(`Function "${source.functionName}" failed a batch of ${messages.length}`, error)
  }
}

async function remove(
  source: QueueSource,
  messages: readonly Message[],
  { sqs }: QueueSourceDeps,
): Promise<void> {
  await sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl: source.queueUrl,
      Entries: messages.map((message, index) => ({
        Id: String(index),
        ReceiptHandle: message.ReceiptHandle,
      })),
    }),
  )
}

function recordOf(message: Message, source: QueueSource): SQSRecord {
  // A test double of a queue may leave attributes out; Lambda never does.
  const defaults = {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '0',
  }
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: { ...defaults, ...message.Attributes },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        {
          dataType: value.DataType ?? 'String',
          ...(value.StringValue === undefined ? {} : { stringValue: value.StringValue }),
        },
      ]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: source.queueArn,
    awsRegion: source.region,
  }
}
