// Fresh queues on the emulator, for tests of what stands on them.
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type Message as SqsMessage,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { startQueues } from '../../infra/local/emulators/start-queues.ts'
import { makeSqsClient, type SqsClientOptions } from '../../lib/adapters/sqs/make-sqs-client.ts'
import type { QueueName } from '../../lib/messages/ports.ts'

const names: readonly QueueName[] = ['events', 'install', 'join', 'leave', 'probe']

export type QueueUrls = Readonly<Record<QueueName, string>>

export interface TestQueues {
  readonly endpoint: string
  readonly queueUrls: QueueUrls
  readonly deadLetterUrls: QueueUrls
  connect(options?: SqsClientOptions): SQSClient
  /** Takes everything that can be received from a queue now. */
  take(queueUrl: string): Promise<readonly SqsMessage[]>
  stop(): Promise<void>
}

export async function startTestQueues(): Promise<TestQueues> {
  const emulator = await startQueues()
  const clients: SQSClient[] = []
  const connect = (options: SqsClientOptions = {}): SQSClient => {
    const client = makeSqsClient({ endpoint: emulator.endpoint, ...options })
    clients.push(client)
    return client
  }
  const client = connect()
  const create = async (name: QueueName, suffix: string): Promise<[QueueName, string]> => {
    const isFifo = name === 'events'
    const { QueueUrl = '' } = await client.send(
      new CreateQueueCommand({
        QueueName: `${name}${suffix}${isFifo ? '.fifo' : ''}`,
        ...(isFifo ? { Attributes: { FifoQueue: 'true' } } : {}),
      }),
    )
    return [name, new URL(new URL(QueueUrl).pathname, emulator.endpoint).href]
  }
  const createAll = async (suffix: string): Promise<QueueUrls> =>
    Object.fromEntries(await Promise.all(names.map((name) => create(name, suffix)))) as QueueUrls

  return {
    endpoint: emulator.endpoint,
    queueUrls: await createAll(''),
    deadLetterUrls: await createAll('-dead'),
    connect,
    async take(QueueUrl) {
      const taken: SqsMessage[] = []
      for (;;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl,
            MaxNumberOfMessages: 10,
            MessageSystemAttributeNames: ['All'],
            MessageAttributeNames: ['All'],
          }),
        )
        if (Messages.length === 0) return taken
        taken.push(...Messages)
        for (const { ReceiptHandle } of Messages) {
          await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
        }
      }
    },
    async stop() {
      for (const open of clients) open.destroy()
      await emulator.stop()
    },
  }
}
