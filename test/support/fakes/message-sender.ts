import assert from 'node:assert/strict'
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

export interface FakeMessageSender extends MessageSender {
  /** Everything sent and not yet taken, in order. */
  readonly sent: readonly SentMessage[]
  readonly deadLetters: readonly DeadLetter[]
  /** Takes what was sent to one queue. */
  take(queue: QueueName): readonly SentMessage[]
  /** Fails the test if anything was sent that nobody took. */
  assertIdle(): void
}

export interface FakeMessageSenderOptions {
  /** Programs failure by input: what this throws for a message is thrown to its sender. */
  readonly refuse?: (queue: QueueName, message: Message) => Error | undefined
  /** No queue answers: whatever is sent, also to a dead-letter queue, throws this. */
  readonly failWith?: Error | undefined
}

export function fakeMessageSender({ refuse, failWith }: FakeMessageSenderOptions = {}): FakeMessageSender {
  let sent: SentMessage[] = []
  const deadLetters: DeadLetter[] = []
  return {
    get sent() {
      return sent
    },
    deadLetters,
    async send(queue, message, options) {
      const refusal = failWith ?? refuse?.(queue, message)
      if (refusal !== undefined) throw refusal
      sent.push({ queue, message: structuredClone(message), ...options })
    },
    async deadLetter(queue, body, reason) {
      if (failWith !== undefined) throw failWith
      deadLetters.push({ queue, body, reason })
    },
    take(queue) {
      const taken = sent.filter((message) => message.queue === queue)
      sent = sent.filter((message) => message.queue !== queue)
      return taken
    },
    assertIdle() {
      assert.deepEqual(sent, [], 'messages were sent that nobody took')
    },
  }
}
