import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeSystemClock } from './clock.ts'
import { makeSystemRandom, makeUuids } from './random.ts'

describe('makeSystemClock', () => {
  it('waits no longer than it is told to, and never rejects', async () => {
    const clock = makeSystemClock()
    await clock.wait(0)
    await clock.wait(-5)
    const abort = new AbortController()
    const waiting = clock.wait(60_000, abort.signal)
    abort.abort()
    await waiting
    await clock.wait(60_000, abort.signal)
  })

  it('waits longer than one timer can', async () => {
    const abort = new AbortController()
    let isOver = false
    const waiting = makeSystemClock()
      .wait(30 * 24 * 3600 * 1000, abort.signal)
      .then(() => (isOver = true))
    await makeSystemClock().wait(20)
    assert.equal(isOver, false)
    abort.abort()
    await waiting
  })
})

describe('makeSystemRandom', () => {
  it('stays below its limit, up to the largest', () => {
    const random = makeSystemRandom()
    assert.equal(random.below(1), 0)
    for (let round = 0; round < 100; round++) assert.ok(random.below(2 ** 32) < 2 ** 32)
  })
})

describe('makeUuids', () => {
  it('makes ids that may name files and units', () => {
    const ids = makeUuids()
    assert.match(ids.next(), /^[a-z0-9-]{1,40}$/)
    assert.notEqual(ids.next(), ids.next())
  })
})
