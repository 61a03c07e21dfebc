import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaimedHost, aHost, t0 } from '../../test/support/builders/hosts.ts'
import { backOffMs, hostFailed, isBackingOff, specFailed } from './failures.ts'

describe('backOffMs', () => {
  it('doubles from 30 s and stays at 30 min', () => {
    assert.deepEqual(
      [0, 1, 2, 3, 6, 7, 8, 1000].map(backOffMs),
      [30_000, 30_000, 60_000, 120_000, 960_000, 1_800_000, 1_800_000, 1_800_000],
    )
  })
})

describe('hostFailed', () => {
  it('counts, explains and names the NodeClaim whose phase failed', () => {
    assert.deepEqual(hostFailed(aClaimedHost(), { reason: 'JoinFailed', message: 'exit 1' }, t0), {
      count: 1,
      lastReason: 'JoinFailed',
      lastMessage: 'exit 1',
      nodeClaimUid: 'uid-1',
      notBeforeMs: t0 + 30_000,
    })
  })
})

describe('specFailed', () => {
  it('never shortens a wait that is longer', () => {
    const failures = { count: 5, lastReason: 'JoinFailed', lastMessage: '', notBeforeMs: t0 + 900_000 }
    const next = specFailed(aHost({ failures }), { reason: 'SecretMissing', message: '' }, t0)
    assert.equal(next.notBeforeMs, t0 + 900_000)
    assert.equal(next.count, 5)
  })
})

describe('isBackingOff', () => {
  it('ends at the instant itself', () => {
    const host = aHost({ failures: { count: 1, lastReason: '', lastMessage: '', notBeforeMs: t0 } })
    assert.equal(isBackingOff(host, t0 - 1), true)
    assert.equal(isBackingOff(host, t0), false)
    assert.equal(isBackingOff(aHost(), t0), false)
  })
})
