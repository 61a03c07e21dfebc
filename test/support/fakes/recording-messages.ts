import type { Message, MessageSender, QueueName } from '../../../lib/messages/ports.ts'

export interface SentMessage {
  readonly queue: QueueName
  readonly message: Message
  readonly delaySeconds?: number
}
export interface DeadLetter {
  readonly queue: QueueName
  readonly body: string
  readonly reason: string
}
export interface RecordingMessages extends MessageSender {
  readonly sent: readonly SentMessage[]
  readonly deadLetters: readonly DeadLetter[]
}

/** Keeps what was sent. With `failWith`, sends nothing and throws that. */
export function recordingMessages(options: { readonly failWith?: Error } = {}): RecordingMessages {
  const sent: SentMessage[] = []
  const deadLetters: DeadLetter[] = []
  return {
    sent,
    deadLetters,
    async send(queue, message, sendOptions) {
      if (options.failWith !== undefined) throw options.failWith
      sent.push({ queue, message, ...sendOptions })
    },
    async deadLetter(queue, body, reason) {
      if (options.failWith !== undefined) throw options.failWith
      deadLetters.push({ queue, body, reason })
    },
  }
}
