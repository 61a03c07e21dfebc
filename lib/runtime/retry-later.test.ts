import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { aRunPhaseOn } from '../../test/support/builders/messages.ts'
import { fakeClock } from '../../test/support/fakes/clock.ts'
import { fakeMessageSender } from '../../test/support/fakes/message-sender.ts'
import { fakeRandom } from '../../test/support/fakes/random.ts'
import { retryLater, type RetryableMessage } from './retry-later.ts'

function retry(message: RetryableMessage, afterMs?: number, chance = 0) {
  const messages = fakeMessageSender()
  const outcome = retryLater(
    'leave',
    { message, body: 'the body' },
    { messages, clock: fakeClock(message.requestedAtMs), random: fakeRandom(chance), afterMs },
  )
  return { outcome, messages }
}

describe('retryLater', () => {
  it('doubles the delay with each attempt, half of it by chance', async () => {
    const delays = [1, 2, 3, 4, 5].map(async (attempt) => {
      const shortest = await retry(aRunPhaseOn('a', { attempt })).outcome
      const longest = await retry(aRunPhaseOn('a', { attempt }), undefined, 2 ** 31 - 1).outcome
      return [shortest, longest].map((outcome) =>
        outcome.kind === 'sent-again' ? outcome.delaySeconds : undefined,
      )
    })
    const [first, , third] = await Promise.all(delays)
    assert.equal(first?.[0], 3)
    assert.equal(third?.[0], 10)
  })

  it('takes the delay that the failed dependency asked for, rounded up', async () => {
    const { outcome } = retry(aRunPhaseOn('a'), 1_001)
    assert.deepEqual(await outcome, { kind: 'sent-again', attempt: 2, delaySeconds: 2 })
  })

  it('never delays for longer than a queue can', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.nat(),
        fc.option(fc.nat()),
        async (attempt, chance, afterMs) => {
          const message = aRunPhaseOn('a', { attempt, deadlineAtMs: Number.MAX_SAFE_INTEGER })
          const outcome = await retry(message, afterMs ?? undefined, chance).outcome
          assert.equal(outcome.kind, 'sent-again')
          assert.ok(outcome.kind === 'sent-again' && outcome.delaySeconds >= 0 && outcome.delaySeconds <= 900)
        },
      ),
    )
  })

  it('sends a message past its attempts to the dead-letter queue, as it came', async () => {
    const { outcome, messages } = retry(aRunPhaseOn('a', { attempt: 8 }))
    assert.deepEqual(await outcome, { kind: 'dead-lettered', reason: 'AttemptsSpent' })
    assert.deepEqual(messages.deadLetters, [{ queue: 'leave', body: 'the body', reason: 'AttemptsSpent' }])
    assert.deepEqual(messages.sent, [])
  })

  it('does not try again what would come after its deadline', async () => {
    const message = aRunPhaseOn('a', { deadlineAtMs: 1_767_225_602_999 })
    assert.deepEqual(await retry(message).outcome, { kind: 'dead-lettered', reason: 'DeadlinePassed' })
  })
})
