import type { ClusterObserved } from './cluster-observed.ts'
import type { HostChanged, ProbeHosts, RunPhase } from './run-phase.ts'

export type Message = ClusterObserved | HostChanged | RunPhase | ProbeHosts

/** `events` is FIFO with one group per cluster; the others are standard queues, named for their phase. */
export type QueueName = 'events' | 'install' | 'join' | 'leave' | 'probe'

export interface SendOptions {
  /** 0 to 900 seconds; not for `events`. */
  readonly delaySeconds?: number
}

/** Throws TransientError. Every message gets its own deduplication id: order is the queue's, never a clock's. */
export interface MessageSender {
  send(queue: QueueName, message: Message, options?: SendOptions): Promise<void>
  /** For a message past its attempts: to the dead-letter queue, with the reason beside it. */
  deadLetter(queue: QueueName, body: string, reason: string): Promise<void>
}
