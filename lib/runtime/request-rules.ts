// Rules for a queue of requests: somebody waits for each. dispositionOf alone decides what an error leads to.
import { dispositionOf } from '../errors/disposition.ts'
import type { QueueName } from '../messages/ports.ts'
import type { RecordRules, RecordVerdict } from './record-verdict.ts'
import { retryLater, type RetryableMessage, type RetryLaterDeps } from './retry-later.ts'

export function requestRules(queue: QueueName, deps: RetryLaterDeps): RecordRules<RetryableMessage> {
  return {
    // Stays in the queue and reaches the dead-letter queue by redrive, as it was sent.
    refused: (_body, error) =>
      Promise.resolve({ acknowledge: false, level: 'error', event: 'record.refused', cause: error }),
    failed: async (record, error) => {
      const disposition = dispositionOf(error)
      switch (disposition.kind) {
        case 'crash':
          return { acknowledge: false, level: 'error', event: 'record.failed', cause: error }
        case 'reject':
          return { acknowledge: true, level: 'warn', event: 'record.rejected', cause: error }
        case 'drop':
          return { acknowledge: true, level: 'info', event: 'record.dropped', cause: error }
        case 'retry':
          return retry(queue, record, { ...deps, afterMs: disposition.afterMs, error })
      }
    },
  }
}

async function retry(
  queue: QueueName,
  record: { readonly message: RetryableMessage; readonly body: string },
  options: RetryLaterDeps & { readonly afterMs: number | undefined; readonly error: unknown },
): Promise<RecordVerdict> {
  try {
    const { kind, ...facts } = await retryLater(queue, record, options)
    return kind === 'sent-again'
      ? { acknowledge: true, level: 'warn', event: 'record.retried', facts, cause: options.error }
      : { acknowledge: true, level: 'error', event: 'record.dead-lettered', facts, cause: options.error }
  } catch (cause) {
    return { acknowledge: false, level: 'error', event: 'record.failed', cause }
  }
}
