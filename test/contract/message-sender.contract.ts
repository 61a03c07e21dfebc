// What every MessageSender promises.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Message, MessageSender, QueueName } from '../../lib/messages/ports.ts'
import { aClusterObserved, aHostChanged, aProbeHosts, aRunPhase } from '../support/builders/messages.ts'
import type { Subject } from './host-store.contract.ts'

export interface Mailbox {
  readonly sender: MessageSender
  /** Takes what can be received from a queue now. */
  receive(queue: QueueName): Promise<readonly Message[]>
  receiveDeadLetters(queue: QueueName): Promise<readonly { readonly body: string; readonly reason: string }[]>
}

export function messageSenderContract(name: string, start: () => Promise<Subject<Mailbox>>): void {
  describe(`MessageSender, ${name}`, () => {
    let mailbox: Mailbox
    let stop: () => Promise<void>
    before(async () => {
      const started = await start()
      mailbox = started.subject
      stop = () => started.stop()
    })
    after(() => stop())

    it('delivers every kind of message to its queue, and to no other', async () => {
      const { sender } = mailbox
      const mail: readonly (readonly [QueueName, Message])[] = [
        ['install', aRunPhase({ phase: 'install' })],
        ['join', aRunPhase()],
        ['leave', aRunPhase({ phase: 'leave' })],
        ['probe', aProbeHosts()],
      ]
      for (const [queue, message] of mail) await sender.send(queue, message)
      for (const [queue, message] of mail) assert.deepEqual(await mailbox.receive(queue), [message])
    })

    it('delivers the events of a cluster in the order they were sent', async () => {
      const events = [aClusterObserved(), aHostChanged(), aClusterObserved({ reason: 'Heartbeat' })]
      for (const event of events) await mailbox.sender.send('events', event)
      assert.deepEqual(await mailbox.receive('events'), events)
    })

    it('delivers the same event twice when it was sent twice', async () => {
      await mailbox.sender.send('events', aHostChanged())
      await mailbox.sender.send('events', aHostChanged())
      assert.equal((await mailbox.receive('events')).length, 2)
    })

    it('keeps a dead letter as it was, with the reason beside it', async () => {
      await mailbox.sender.deadLetter('join', '{"type":"RunPhase"', 'AttemptsSpent')
      await mailbox.sender.deadLetter('events', 'not even JSON', 'MessageUnreadable')
      assert.deepEqual(await mailbox.receiveDeadLetters('join'), [
        { body: '{"type":"RunPhase"', reason: 'AttemptsSpent' },
      ])
      assert.deepEqual(await mailbox.receiveDeadLetters('events'), [
        { body: 'not even JSON', reason: 'MessageUnreadable' },
      ])
    })
  })
}
