import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aClaimedHost, aHost, aJoinedHost, aRun, t0 } from '../../test/support/builders/hosts.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { classifyHost, type HostFindings } from './classify-host.ts'
import { defaultGuardSettings } from './guard-settings.ts'

function found(record: HostRecord, nowMs = t0): HostFindings {
  return classifyHost(record, nowMs, defaultGuardSettings)
}

const quarantine = { reason: 'HostKeyChanged', message: '' }
const waiting = { count: 1, lastReason: 'LeaveFailed', lastMessage: '', notBeforeMs: t0 + 1 }
const owing = aHost({ state: 'Unhealthy', leavePending: true })

describe('classifyHost, probes', () => {
  it('finds a free host due when its last look is nearly one period old, or when there was none', () => {
    assert.equal(found(aHost()).isProbeDue, true)
    assert.equal(found(aHost({ probedAtMs: t0 - 109_999 })).isProbeDue, false)
    assert.equal(found(aHost({ probedAtMs: t0 - 110_000 })).isProbeDue, true)
  })

  it('does not look at a host that is held, parked or in quarantine', () => {
    assert.equal(found(aJoinedHost()).isProbeDue, false)
    assert.equal(found(aHost({ maintenance: true })).isProbeDue, false)
    assert.equal(found(aHost({ quarantine })).isProbeDue, false)
  })

  it('looks at a held host of a rebuilt table, since nobody has confirmed it', () => {
    assert.equal(found(aJoinedHost({ takenIn: false })).isProbeDue, true)
  })

  it('does not look where a leave is about to be asked for', () => {
    assert.equal(found(owing).isProbeDue, false)
    assert.equal(found({ ...owing, failures: waiting }).isProbeDue, true)
  })
})

describe('classifyHost, owed leaves', () => {
  it('POOL-09: finds a leave due once the back-off of the last one has passed, however many failed', () => {
    const failed = { ...owing, leaveAttempts: 50, failures: waiting }
    assert.equal(found(failed).owedLeave, 'waits')
    assert.equal(found(failed, t0 + 1).owedLeave, 'due')
  })

  it('POOL-08: keeps its hands off a host that is parked, in quarantine or not taken in', () => {
    assert.equal(found({ ...owing, maintenance: true }).owedLeave, 'waits')
    assert.equal(found({ ...owing, quarantine }).owedLeave, 'waits')
    assert.equal(found({ ...owing, takenIn: false }).owedLeave, 'waits')
  })

  it('leaves the leave of a claim to that claim, and that of a run to its watcher', () => {
    assert.equal(found(aJoinedHost()).owedLeave, 'none')
    const run = aRun({ phase: 'leave', leaseUntilMs: t0 + 1 })
    assert.equal(found({ ...owing, state: 'Leaving', run }).owedLeave, 'none')
  })
})

describe('classifyHost, runs', () => {
  it('SQS-26: finds a run abandoned when its lease, the clock bound and a grace have passed', () => {
    const host = aClaimedHost({ run: aRun({ leaseUntilMs: t0 }) })
    assert.equal(found(host, t0 + 61_999).abandonedRun, undefined)
    assert.equal(found(host, t0 + 62_000).abandonedRun?.id, 'run-1')
  })
})

describe('classifyHost, claims', () => {
  it('checks claims at rest, of hosts that were taken in', () => {
    assert.equal(found(aJoinedHost()).claimToCheck?.uid, 'uid-1')
    assert.equal(found(aJoinedHost({ takenIn: false })).claimToCheck, undefined)
    assert.equal(found(aClaimedHost({ run: aRun() })).claimToCheck, undefined)
    assert.equal(found(aHost()).claimToCheck, undefined)
  })
})

describe('classifyHost, tokens', () => {
  const tokenIDs = ['abcdef']

  it('finds a token spent when its Node was found, when its claim has left and when its claim is gone', () => {
    assert.deepEqual(found(aJoinedHost({ tokenIDs })).spentTokens, ['abcdef'])
    assert.deepEqual(found(aHost({ tokenIDs })).spentTokens, ['abcdef'])
    const left = aJoinedHost({ tokenIDs, nodeName: undefined, claim: aClaim({ leftAtMs: t0 }) })
    assert.deepEqual(found(left).spentTokens, ['abcdef'])
  })

  it('keeps a token while its join runs and until its Node is there', () => {
    assert.deepEqual(found(aClaimedHost({ tokenIDs, run: aRun() })).spentTokens, [])
    assert.deepEqual(found(aJoinedHost({ tokenIDs, nodeName: undefined })).spentTokens, [])
    assert.deepEqual(found(aClaimedHost({ tokenIDs })).spentTokens, [])
    assert.deepEqual(found(aHost({ tokenIDs, takenIn: false })).spentTokens, [])
  })
})

describe('classifyHost, Nodes left behind', () => {
  const lastRun = { id: 'run-1', phase: 'leave', result: 'succeeded', endedAtMs: t0 } as const

  it('EKS-12: suspects one only after a leave that succeeded, with nobody holding the host', () => {
    assert.equal(found(aHost({ lastRun })).isNodeSuspect, true)
    assert.equal(found(aHost()).isNodeSuspect, false)
    assert.equal(found(aHost({ lastRun: { ...lastRun, result: 'failed' } })).isNodeSuspect, false)
    assert.equal(found(aJoinedHost({ lastRun })).isNodeSuspect, false)
  })

  it('EKS-12: does not while the agent runs: it would only register again', () => {
    assert.equal(found(aHost({ lastRun, agent: 'active' })).isNodeSuspect, false)
  })
})
