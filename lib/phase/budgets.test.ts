import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aRun, t0 } from '../../test/support/builders/hosts.ts'
import { fakeRandom } from '../../test/support/fakes/random.ts'
import { retryDelayMs, watchedUntilMs } from './budgets.ts'

describe('retryDelayMs', () => {
  it('doubles from five seconds to a minute', () => {
    const shortest = [1, 2, 3, 4, 5, 99].map((attempt) => retryDelayMs(attempt, fakeRandom(0)))
    assert.deepEqual(shortest, [3_750, 7_500, 15_000, 30_000, 45_000, 45_000])
  })

  it('SSH-08: is spread, so that hosts of one burst do not come back together', () => {
    const longest = retryDelayMs(1, { below: (limit) => limit - 1 })
    assert.equal(longest, 6_249)
  })
})

describe('watchedUntilMs', () => {
  it('gives the host time to end the run by itself', () => {
    assert.equal(watchedUntilMs(aRun({ timeoutMs: 300_000 })), t0 + 480_000)
  })
})
