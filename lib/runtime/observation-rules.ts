// Rules for a queue of observations: each is outdated by the next, so the next is the retry. Nothing is ever reported as
// failed for its content, or a cluster's group would stand still for a visibility timeout. Only where the copy for the
// dead-letter queue cannot be made does the record stay, so that redrive takes it there.
import type { MessageSender, QueueName } from '../messages/ports.ts'
import type { RecordRules } from './record-verdict.ts'

export function observationRules(queue: QueueName, messages: MessageSender): RecordRules<unknown> {
  return {
    async refused(body, error) {
      try {
        await messages.deadLetter(queue, body, reasonOf(error))
        return { acknowledge: true, level: 'error', event: 'record.refused', cause: error }
      } catch (cause) {
        return { acknowledge: false, level: 'error', event: 'record.refused', cause }
      }
    },
    failed: (_record, error) =>
      Promise.resolve({ acknowledge: true, level: 'error', event: 'record.failed', cause: error }),
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Unreadable'
}
