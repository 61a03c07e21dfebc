import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { makeSqsClient } from '../../lib/adapters/sqs/make-sqs-client.ts'
import { makeSqsMessageSender, type SqsMessageSenderDeps } from '../../lib/adapters/sqs/message-sender.ts'
import { ConfigError } from '../../lib/errors/config-error.ts'
import { TransientError } from '../../lib/errors/transient-error.ts'
import type { MessageSender } from '../../lib/messages/ports.ts'
import { parseBody } from '../../lib/messages/parse-body.ts'
import { messageSenderContract } from '../contract/message-sender.contract.ts'
import { aHostChanged, aRunPhase } from '../support/builders/messages.ts'
import { startDroppingProxy, startSilentEndpoint } from '../support/fakes/dropping-proxy.ts'
import { fakeIds } from '../support/fakes/ids.ts'
import { startTestQueues, type TestQueues } from '../support/queues.ts'

function senderOn(queues: TestQueues, overrides: Partial<SqsMessageSenderDeps> = {}): MessageSender {
  const { queueUrls, deadLetterUrls } = queues
  return makeSqsMessageSender({
    client: queues.connect(),
    queueUrls,
    deadLetterUrls,
    ids: fakeIds(),
    ...overrides,
  })
}

messageSenderContract('on fauxqs', async () => {
  const queues = await startTestQueues()
  const { queueUrls, deadLetterUrls } = queues
  return {
    subject: {
      sender: senderOn(queues),
      receive: async (queue) =>
        (await queues.take(queueUrls[queue])).map(({ Body = '' }) =>
          parseBody(Body, 'ClusterObserved', 'HostChanged', 'RunPhase', 'ProbeHosts'),
        ),
      receiveDeadLetters: async (queue) =>
        (await queues.take(deadLetterUrls[queue])).map(({ Body = '', MessageAttributes }) => ({
          body: Body,
          reason: MessageAttributes?.['reason']?.StringValue ?? '',
        })),
    },
    stop: () => queues.stop(),
  }
})

describe('makeSqsMessageSender', () => {
  let queues: TestQueues
  before(async () => {
    queues = await startTestQueues()
  })
  after(() => queues.stop())

  it('groups events by cluster, and the dead letters of a cluster too', async () => {
    const sender = senderOn(queues)
    await sender.send('events', aHostChanged({ cluster: 'east' }))
    await sender.deadLetter('events', JSON.stringify(aHostChanged({ cluster: 'east' })), 'x')
    const [event] = await queues.take(queues.queueUrls.events)
    const [letter] = await queues.take(queues.deadLetterUrls.events)
    assert.equal(event?.Attributes?.MessageGroupId, 'east')
    assert.equal(letter?.Attributes?.MessageGroupId, 'east')
  })

  it('holds a delayed request back', async () => {
    await senderOn(queues).send('leave', aRunPhase(), { delaySeconds: 900 })
    assert.deepEqual(await queues.take(queues.queueUrls.leave), [])
  })

  it('sends one event when the answer to the first attempt got lost', async () => {
    const proxy = await startDroppingProxy(queues.endpoint, { target: 'SendMessage', losses: 1 })
    const throughProxy = (url: string): string => new URL(new URL(url).pathname, proxy.endpoint).href
    try {
      const sender = senderOn(queues, {
        client: queues.connect({ endpoint: proxy.endpoint }),
        queueUrls: { events: throughProxy(queues.queueUrls.events) },
        ids: fakeIds('once'),
      })
      await sender.send('events', aHostChanged({ cluster: 'once' }))
      assert.equal(proxy.passed.length, 2)
      assert.equal((await queues.take(queues.queueUrls.events)).length, 1)
    } finally {
      await proxy.stop()
    }
  })

  it('SQS-21: ends soon, in a TransientError, on an endpoint that accepts and never answers', async () => {
    const silent = await startSilentEndpoint()
    const client = makeSqsClient({ endpoint: silent.endpoint, requestTimeoutMs: 50 })
    try {
      const sender = senderOn(queues, { client, queueUrls: { join: `${silent.endpoint}/1/join` } })
      await assert.rejects(sender.send('join', aRunPhase()), TransientError)
    } finally {
      client.destroy()
      await silent.stop()
    }
  })

  it('names a queue that does not exist as a wrong deployment', async () => {
    const missing = { join: new URL('/000000000000/missing', queues.endpoint).href }
    await assert.rejects(senderOn(queues, { queueUrls: missing }).send('join', aRunPhase()), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /^Cannot send to queue "join": the queue answered /)
      return true
    })
  })
})
