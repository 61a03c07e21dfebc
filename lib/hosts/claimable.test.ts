import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaimedHost, aHost, t0 } from '../../test/support/builders/hosts.ts'
import { isClaimable } from './claimable.ts'

const waiting = aHost({
  failures: { count: 0, lastReason: 'SecretMissing', lastMessage: '', notBeforeMs: t0 + 1 },
})

describe('isClaimable', () => {
  it('holds for a healthy host that nobody holds', () => {
    assert.equal(isClaimable(aHost(), t0), true)
  })

  it('does not hold for one that is held, and for one that waits only until it has waited', () => {
    assert.equal(isClaimable(aClaimedHost(), t0), false)
    assert.equal(isClaimable(waiting, t0), false)
    assert.equal(isClaimable(waiting, t0 + 1), true)
  })
})
