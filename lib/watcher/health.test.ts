import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type HealthFacts, healthOf } from './health.ts'

const limits = { nowMs: 1_000_000, limitMs: 300_000 }
const healthy: HealthFacts = {
  startedAtMs: 0,
  heardAtMs: { pods: 990_000, nodes: 950_000 },
  unsyncedFeeds: [],
  lastSentAtMs: 980_000,
  failingSinceMs: undefined,
}

describe('healthOf', () => {
  it('is alive and ready when everything answered lately and something was sent', () => {
    assert.deepEqual(healthOf(healthy, limits), { isAlive: true, isReady: true, problems: [] })
  })

  it('WAT-01: is dead when a resource was silent for too long', () => {
    const facts = { ...healthy, heardAtMs: { pods: 990_000, nodes: 699_999 } }
    assert.deepEqual(healthOf(facts, limits), {
      isAlive: false,
      isReady: false,
      problems: ['nothing heard of nodes'],
    })
  })

  it('SQS-25: counts silence from the start for a resource that never answered', () => {
    const facts = { ...healthy, heardAtMs: { pods: undefined } }
    assert.equal(healthOf(facts, { nowMs: 299_999, limitMs: 300_000 }).isAlive, true)
    assert.equal(healthOf(facts, { nowMs: 300_001, limitMs: 300_000 }).isAlive, false)
  })

  it('WAT-13: is dead when messages could not be sent for too long, and lives again with the first that is', () => {
    assert.deepEqual(healthOf({ ...healthy, failingSinceMs: 699_999 }, limits), {
      isAlive: false,
      isReady: false,
      problems: ['messages cannot be sent'],
    })
    assert.equal(healthOf({ ...healthy, failingSinceMs: 700_001 }, limits).isAlive, true)
  })

  it('is not ready, but alive, while a resource is refused: a restart would not help', () => {
    const facts = { ...healthy, unsyncedFeeds: ['pods'] }
    assert.deepEqual(healthOf(facts, limits), {
      isAlive: true,
      isReady: false,
      problems: ['pods is not in sync'],
    })
  })

  it('is not ready before the first message', () => {
    assert.equal(healthOf({ ...healthy, lastSentAtMs: undefined }, limits).isReady, false)
  })
})
