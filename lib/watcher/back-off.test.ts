import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeRandom } from '../../test/support/fakes/random.ts'
import { backOffMs } from './back-off.ts'

const bounds = { shortestMs: 1_000, longestMs: 30_000 }

describe('backOffMs', () => {
  it('doubles from the shortest to the longest', () => {
    const middle = fakeRandom(250)
    const waits = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backOffMs(failures, bounds, middle))
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  it('shifts by at most a quarter either way, so that many clients do not come at once', () => {
    assert.equal(backOffMs(1, bounds, fakeRandom(0)), 750)
    assert.equal(backOffMs(1, bounds, fakeRandom(500)), 1_250)
  })

  it('WAT-03: asks at most ten times in an outage of 60 s, however the shifts fall', () => {
    for (const shift of [0, 250, 500]) {
      let atMs = 0
      let requests = 0
      for (let failures = 1; atMs <= 60_000; failures += 1) {
        requests += 1
        atMs += backOffMs(failures, bounds, fakeRandom(shift))
      }
      assert.ok(requests <= 8, `${requests} requests with a shift of ${shift}`)
    }
  })
})
