import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aHost, aRun, probed, t0 } from '../../test/support/builders/hosts.ts'
import { after, answer } from '../../test/support/builders/transitions.ts'
import type { HostRecord } from './host-record.ts'
import { withSoundState } from './sound-state.ts'

function repaired(fields: Partial<HostRecord>): string {
  return withSoundState(aHost(fields)).state
}

describe('withSoundState', () => {
  it('ref 15.10: sends Claimed or InUse without a claim back to Pending, and a probe frees it', () => {
    assert.equal(repaired({ state: 'Claimed' }), 'Pending')
    assert.equal(repaired({ state: 'InUse', providerID: 'x' }), 'Pending')
    assert.equal(after(aHost({ state: 'InUse' }), probed(), t0).state, 'Available')
  })

  it('writes the repair even if the event changes nothing', () => {
    const released = { kind: 'released', uid: 'uid-1', isClean: true } as const
    assert.equal(after(aHost({ state: 'InUse' }), released, t0).state, 'Pending')
    assert.equal(answer(aHost(), released, t0), 'unchanged')
  })

  it('lets claim, run, quarantine and maintenance say the state, in this order', () => {
    assert.equal(repaired({ claim: aClaim(), run: aRun(), maintenance: true }), 'Claimed')
    assert.equal(repaired({ state: 'InUse', claim: aClaim() }), 'Claimed')
    assert.equal(repaired({ state: 'Pending', claim: aClaim({ joinedAtMs: t0 }) }), 'InUse')
    assert.equal(repaired({ run: aRun({ phase: 'leave' }), maintenance: true }), 'Leaving')
    assert.equal(repaired({ quarantine: { reason: 'x', message: '' }, maintenance: true }), 'Unhealthy')
    assert.equal(repaired({ maintenance: true }), 'Maintenance')
  })

  it('believes neither Available of a host that owes a leave or was not confirmed, nor Leaving of one that owes none', () => {
    assert.equal(repaired({ leavePending: true }), 'Pending')
    assert.equal(repaired({ takenIn: false }), 'Pending')
    assert.equal(repaired({ state: 'Leaving' }), 'Pending')
    assert.equal(repaired({ state: 'Maintenance' }), 'Pending')
  })

  it('leaves a sound record as it is', () => {
    const host = aHost({ state: 'Leaving', leavePending: true })
    assert.equal(withSoundState(host), host)
  })
})
