// "Try again": a new delayed message with the next attempt's number, so that the old one can be acknowledged at once. A
// visibility timeout would do it minutes later. Past its attempts or its deadline a message goes to the dead-letter queue.
import type { Clock, Random } from '../ambient/ports.ts'
import type { ProbeHosts, RunPhase } from '../messages/run-phase.ts'
import type { MessageSender, QueueName } from '../messages/ports.ts'

export type RetryableMessage = RunPhase | ProbeHosts
export type RetryOutcome =
  | { readonly kind: 'sent-again'; readonly attempt: number; readonly delaySeconds: number }
  | { readonly kind: 'dead-lettered'; readonly reason: 'AttemptsSpent' | 'DeadlinePassed' }

export interface RetryLaterDeps {
  readonly messages: MessageSender
  readonly clock: Clock
  readonly random: Random
}

/** SQS delays a message by at most 15 minutes. */
const maxDelaySeconds = 900
const firstDelaySeconds = 5
export const maxAttempts = 8

export async function retryLater(
  queue: QueueName,
  record: { readonly message: RetryableMessage; readonly body: string },
  { messages, clock, random, afterMs }: RetryLaterDeps & { readonly afterMs: number | undefined },
): Promise<RetryOutcome> {
  const { message, body } = record
  const delaySeconds = afterMs === undefined ? backOffSeconds(message.attempt, random) : toSeconds(afterMs)
  const reason = refusalOf(message, clock.nowMs() + delaySeconds * 1000)
  if (reason !== undefined) {
    await messages.deadLetter(queue, body, reason)
    return { kind: 'dead-lettered', reason }
  }
  const attempt = message.attempt + 1
  await messages.send(queue, { ...message, attempt }, { delaySeconds })
  return { kind: 'sent-again', attempt, delaySeconds }
}

function refusalOf(
  message: RetryableMessage,
  nextAtMs: number,
): 'AttemptsSpent' | 'DeadlinePassed' | undefined {
  if (message.attempt >= maxAttempts) return 'AttemptsSpent'
  return nextAtMs > message.deadlineAtMs ? 'DeadlinePassed' : undefined
}

/** Doubles with each attempt; the second half is chance, so that a hundred hosts do not come back in one instant. */
function backOffSeconds(attempt: number, random: Random): number {
  const ceiling = Math.min(firstDelaySeconds * 2 ** (attempt - 1), maxDelaySeconds)
  const half = Math.ceil(ceiling / 2)
  return half + random.below(ceiling - half + 1)
}

function toSeconds(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms / 1000), 0), maxDelaySeconds)
}
