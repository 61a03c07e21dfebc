import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { aHostChanged, aRunPhase } from '../../../test/support/builders/messages.ts'
import { fakeIds } from '../../../test/support/fakes/ids.ts'
import { makeSqsMessageSender } from './message-sender.ts'

type Input = Readonly<Record<string, unknown>>

function recorded() {
  const inputs: Input[] = []
  const send = async ({ input }: { readonly input: Input }): Promise<object> => {
    inputs.push(input)
    return {}
  }
  const sender = makeSqsMessageSender({
    client: { send } as unknown as SQSClient,
    queueUrls: { events: 'https://sqs/events.fifo', join: 'https://sqs/join' },
    deadLetterUrls: { join: 'https://sqs/join-dead' },
    ids: fakeIds('dedup'),
  })
  return { sender, inputs }
}

describe('makeSqsMessageSender', () => {
  it('gives every event its group and a deduplication id of its own', async () => {
    const { sender, inputs } = recorded()
    await sender.send('events', aHostChanged())
    await sender.send('events', aHostChanged())
    assert.deepEqual(
      inputs.map(({ MessageGroupId, MessageDeduplicationId }) => [MessageGroupId, MessageDeduplicationId]),
      [
        ['lab', 'dedup-1'],
        ['lab', 'dedup-2'],
      ],
    )
  })

  it('delays requests by whole seconds, at most 900', async () => {
    const { sender, inputs } = recorded()
    for (const delaySeconds of [undefined, 0.2, 5, 4_000]) {
      await sender.send('join', aRunPhase(), delaySeconds === undefined ? {} : { delaySeconds })
    }
    assert.deepEqual(
      inputs.map(({ DelaySeconds }) => DelaySeconds),
      [0, 1, 5, 900],
    )
  })

  it('refuses a message that no queue carries, by its size', async () => {
    const { sender, inputs } = recorded()
    await assert.rejects(sender.send('join', aRunPhase({ reason: 'x'.repeat(1_048_576) })), {
      name: 'SpecError',
      message: /^Cannot send RunPhase to queue "join": it has 1048\d\d\d bytes, at most 1048576 are carried$/,
    })
    assert.deepEqual(inputs, [])
  })

  it('refuses a queue that it was given no URL for', async () => {
    const { sender } = recorded()
    await assert.rejects(sender.send('leave', aRunPhase()), {
      name: 'ConfigError',
      message:
        'Cannot send to queue "leave": this function has no URL for it, its configuration must name it',
    })
    await assert.rejects(sender.deadLetter('leave', '{}', 'x'), { name: 'ConfigError' })
  })

  it('keeps a dead letter whole and leaves the reason out where both do not fit', async () => {
    const { sender, inputs } = recorded()
    const body = 'x'.repeat(1_048_576)
    await sender.deadLetter('join', body, 'AttemptsSpent')
    await sender.deadLetter('join', 'x', 'bad \u0000 byte')
    assert.equal(inputs[0]?.['MessageBody'], body)
    assert.equal(inputs[0]['MessageAttributes'], undefined)
    assert.deepEqual(inputs[1]?.['MessageAttributes'], {
      reason: { DataType: 'String', StringValue: 'bad ? byte' },
    })
  })
})
