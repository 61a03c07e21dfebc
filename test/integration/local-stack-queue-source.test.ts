// Our SQS event source against the queue emulator. What is said here of redrive and FIFO groups must hold on AWS too, and
// has to be run again there: an emulator proves our half only.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { startQueues, type RunningEmulator } from '../../infra/local/emulators/start-queues.ts'
import {
  startQueueSource,
  type QueueSource,
  type RunningQueueSource,
} from '../../infra/local/plugin/queue-source.ts'

describe('startQueueSource', () => {
  let emulator: RunningEmulator
  let sqs: SQSClient
  let running: RunningQueueSource | undefined
  let count = 0

  before(async () => {
    emulator = await startQueues()
    sqs = new SQSClient({
      region: 'eu-central-1',
      endpoint: emulator.endpoint,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    })
  })
  afterEach(async () => {
    await running?.stop()
    running = undefined
  })
  after(async () => {
    sqs.destroy()
    await emulator.stop()
  })

  async function aQueue(
    attributes: Readonly<Record<string, string>> = {},
  ): Promise<{ url: string; arn: string }> {
    count += 1
    const suffix = attributes['FifoQueue'] === 'true' ? '.fifo' : ''
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({ QueueName: `queue-${count}${suffix}`, Attributes: { ...attributes } }),
    )
    assert.ok(QueueUrl)
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    )
    return { url: QueueUrl, arn: Attributes?.['QueueArn'] ?? '' }
  }

  /** Messages that a consumer may still get or has not acknowledged. */
  async function depth(url: string): Promise<number> {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
    )
    const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } = Attributes ?? {}
    return Number(ApproximateNumberOfMessages) + Number(ApproximateNumberOfMessagesNotVisible)
  }

  function start(
    url: string,
    invoke: (event: SQSEvent) => Promise<unknown>,
    overrides: Partial<QueueSource> = {},
  ): void {
    running = startQueueSource(
      {
        functionName: 'join',
        queueUrl: url,
        queueArn: 'arn:aws:sqs:eu-central-1:000000000000:queue',
        region: 'eu-central-1',
        batchSize: 10,
        maxConcurrency: 4,
        reportsBatchItemFailures: true,
        ...overrides,
      },
      { sqs, invoke: (_name, event) => invoke(event), warn: () => undefined },
    )
  }

  const bodies = ({ Records }: SQSEvent): string[] => Records.map(({ body }) => body)
  const send = (url: string, ...texts: readonly string[]) =>
    sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: url,
        Entries: texts.map((MessageBody, index) => ({ Id: String(index), MessageBody })),
      }),
    )

  it('hands over what was sent, as Lambda would, and takes it out of the queue', async () => {
    const { url } = await aQueue()
    const received = Promise.withResolvers<SQSEvent>()
    start(url, async (event) => {
      received.resolve(event)
      return { batchItemFailures: [] }
    })
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: 'hello',
        MessageAttributes: { reason: { DataType: 'String', StringValue: 'test' } },
      }),
    )
    const [record] = (await received.promise).Records
    assert.equal(record?.body, 'hello')
    assert.equal(record.attributes.ApproximateReceiveCount, '1')
    assert.deepEqual(record.messageAttributes, { reason: { dataType: 'String', stringValue: 'test' } })
    await running?.stop()
    assert.equal(await depth(url), 0)
  })

  it('DEV-01: leaves in the queue what the function reported as failed, and only that', async () => {
    const { url } = await aQueue()
    const done = Promise.withResolvers<unknown>()
    await send(url, 'ok', 'bad', 'fine')
    start(url, async ({ Records }) => {
      done.resolve(undefined)
      return {
        batchItemFailures: Records.filter(({ body }) => body === 'bad').map(({ messageId }) => ({
          itemIdentifier: messageId,
        })),
      }
    })
    await done.promise
    await running?.stop()
    assert.equal(await depth(url), 1)
  })

  it('SQS-01: leaves the whole batch in the queue when the function throws', async () => {
    const { url } = await aQueue()
    const called = Promise.withResolvers<unknown>()
    await send(url, 'one', 'two')
    start(url, () => {
      called.resolve(undefined)
      return Promise.reject(new Error('a bug'))
    })
    await called.promise
    await running?.stop()
    assert.equal(await depth(url), 2)
  })

  it('runs batches side by side up to the bound, and no further', async () => {
    const { url } = await aQueue()
    const all = Promise.withResolvers<unknown>()
    let inFlight = 0
    let most = 0
    let handled = 0
    const gate = Promise.withResolvers<unknown>()
    await send(url, '1', '2', '3', '4', '5', '6', '7')
    start(
      url,
      async () => {
        inFlight += 1
        most = Math.max(most, inFlight)
        if (inFlight === 3) gate.resolve(undefined)
        await gate.promise
        inFlight -= 1
        handled += 1
        if (handled === 7) all.resolve(undefined)
        return {}
      },
      { batchSize: 1, maxConcurrency: 3 },
    )
    await all.promise
    assert.equal(most, 3)
  })

  it('DEV-06: gives a record that keeps failing to the dead-letter queue of a FIFO queue, and then goes on', async () => {
    const dead = await aQueue({ FifoQueue: 'true' })
    const { url } = await aQueue({
      FifoQueue: 'true',
      VisibilityTimeout: '0',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 }),
    })
    for (const body of ['poison', 'next']) {
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: url,
          MessageBody: body,
          MessageGroupId: 'lab',
          MessageDeduplicationId: body,
        }),
      )
    }
    const seen: string[] = []
    const next = Promise.withResolvers<unknown>()
    start(
      url,
      async (event) => {
        seen.push(...bodies(event))
        if (seen.at(-1) === 'next') next.resolve(undefined)
        const failed = event.Records.filter(({ body }) => body === 'poison')
        return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
      },
      { batchSize: 1, maxConcurrency: 1 },
    )
    await next.promise
    await running?.stop()
    assert.deepEqual(seen, ['poison', 'poison', 'next'])
    assert.equal(await depth(dead.url), 1)
  })

  it('keeps the order of a FIFO group, one message at a time', async () => {
    const { url } = await aQueue({ FifoQueue: 'true' })
    for (const body of ['1', '2', '3', '4']) {
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: url,
          MessageBody: body,
          MessageGroupId: 'lab',
          MessageDeduplicationId: body,
        }),
      )
    }
    const seen: string[] = []
    const all = Promise.withResolvers<unknown>()
    start(url, async (event) => {
      seen.push(...bodies(event))
      if (seen.length === 4) all.resolve(undefined)
      return {}
    })
    await all.promise
    assert.deepEqual(seen, ['1', '2', '3', '4'])
  })
})
