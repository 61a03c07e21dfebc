import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aClaimedHost, aHost, aJoinedHost, aRun, t0 } from '../../test/support/builders/hosts.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import { decideDelivery } from './decide-delivery.ts'

const quarantine = { reason: 'HostKeyChanged', message: 'another key' }

describe('decideDelivery', () => {
  it('drops a message for a host that nobody knows', () => {
    assert.deepEqual(decideDelivery(undefined, aRunPhase()), { kind: 'drop', reason: 'UnknownHost' })
  })

  it('drops what another cluster of the pool asks for, whatever the host is doing', () => {
    const dropped = { kind: 'drop', reason: 'OtherCluster' }
    const ofEast = aClaim({ cluster: 'east' })
    assert.deepEqual(decideDelivery(aClaimedHost({ claim: ofEast }), aRunPhase()), dropped)
    const owed = aHost({ cluster: 'east', state: 'Unhealthy', leavePending: true })
    assert.deepEqual(decideDelivery(owed, aRunPhase({ phase: 'leave', nodeClaim: undefined })), dropped)
    assert.deepEqual(decideDelivery(aClaimedHost({ cluster: 'east' }), aRunPhase()), { kind: 'start' })
  })

  it('starts what its claim still wants', () => {
    assert.deepEqual(decideDelivery(aClaimedHost(), aRunPhase({ phase: 'install' })), { kind: 'start' })
    assert.deepEqual(decideDelivery(aClaimedHost(), aRunPhase({ phase: 'join' })), { kind: 'start' })
    assert.deepEqual(decideDelivery(aJoinedHost(), aRunPhase({ phase: 'leave' })), { kind: 'start' })
  })

  it('POOL-11: a late leave of an earlier claim does nothing to its successor', () => {
    const successor = aJoinedHost({ claim: aClaim({ uid: 'uid-2', joinedAtMs: t0 }) })
    const late = aRunPhase({ phase: 'leave', nodeClaim: { name: 'workers-abcde', uid: 'uid-1' } })
    assert.deepEqual(decideDelivery(successor, late), { kind: 'drop', reason: 'ClaimChanged' })
  })

  it('ref 78: a NodeClaim of the same name and another uid is another claim', () => {
    const host = aJoinedHost({ claim: aClaim({ nodeClaim: 'same', uid: 'new', joinedAtMs: t0 }) })
    const message = aRunPhase({ phase: 'leave', nodeClaim: { name: 'same', uid: 'old' } })
    assert.deepEqual(decideDelivery(host, message), { kind: 'drop', reason: 'ClaimChanged' })
  })

  it('drops a leave without a claim once somebody claimed the host', () => {
    const message = aRunPhase({ phase: 'leave', nodeClaim: undefined, reason: 'Zombie' })
    assert.deepEqual(decideDelivery(aClaimedHost(), message), { kind: 'drop', reason: 'ClaimChanged' })
  })

  it('SQS-16: a request of days ago, for a claim that ended, is dropped', () => {
    assert.deepEqual(decideDelivery(aHost(), aRunPhase()), { kind: 'drop', reason: 'ClaimChanged' })
  })

  it('collects the tokens of a claim that ended before they were', () => {
    assert.deepEqual(decideDelivery(aHost({ tokenIDs: ['abcdef'] }), aRunPhase()), { kind: 'settle' })
  })

  it('POOL-02: a second delivery watches the run that the first one started', () => {
    const run = aRun({ phase: 'join' })
    const delivery = decideDelivery(aClaimedHost({ run, leavePending: true }), aRunPhase({ phase: 'join' }))
    assert.deepEqual(delivery, { kind: 'watch', run })
  })

  it('SQS-26: a message that names the run of the record watches it', () => {
    const run = aRun({ id: 'run-7', phase: 'install' })
    const message = aRunPhase({ phase: 'install', runId: 'run-7' })
    assert.deepEqual(decideDelivery(aClaimedHost({ run }), message), { kind: 'watch', run })
  })

  it('drops a message that names a run which another one has replaced', () => {
    const message = aRunPhase({ phase: 'install', runId: 'run-6' })
    const host = aClaimedHost({ run: aRun({ id: 'run-7', phase: 'install' }) })
    assert.deepEqual(decideDelivery(host, message), { kind: 'drop', reason: 'AnotherRun' })
  })

  it('lets a leave wait for the run that is going', () => {
    const host = aClaimedHost({ run: aRun({ phase: 'join' }), leavePending: true })
    const delivery = decideDelivery(host, aRunPhase({ phase: 'leave' }))
    assert.deepEqual(delivery, { kind: 'wait', reason: 'RunInProgress' })
  })

  it('drops an install or a join beside a run of another phase', () => {
    const leaving = aJoinedHost({ run: aRun({ phase: 'leave' }) })
    assert.deepEqual(decideDelivery(leaving, aRunPhase({ phase: 'join' })), {
      kind: 'drop',
      reason: 'AnotherRun',
    })
    const joining = aClaimedHost({ run: aRun({ phase: 'join' }) })
    assert.deepEqual(decideDelivery(joining, aRunPhase({ phase: 'install' })), {
      kind: 'drop',
      reason: 'AnotherRun',
    })
  })

  it('does what is left after a run that ended while its message was on the way', () => {
    const message = aRunPhase({ phase: 'join', runId: 'run-1' })
    assert.deepEqual(decideDelivery(aJoinedHost(), message), { kind: 'settle' })
  })

  it('never joins again under a claim that joined, failed or left', () => {
    const failure = { phase: 'join', reason: 'JoinFailed', message: 'm', blamesHost: true }
    for (const claim of [aClaim({ joinedAtMs: t0 }), aClaim({ failure }), aClaim({ leftAtMs: t0 })]) {
      const delivery = decideDelivery(
        aClaimedHost({ claim, leavePending: true }),
        aRunPhase({ phase: 'join' }),
      )
      assert.deepEqual(delivery, { kind: 'settle' })
    }
  })

  it('SSH-01: starts nothing on a quarantined host', () => {
    const settle = { kind: 'settle' }
    assert.deepEqual(decideDelivery(aClaimedHost({ quarantine }), aRunPhase({ phase: 'install' })), settle)
    assert.deepEqual(decideDelivery(aJoinedHost({ quarantine }), aRunPhase({ phase: 'leave' })), settle)
    const zombie = aHost({ quarantine, leavePending: true, state: 'Unhealthy' })
    assert.deepEqual(decideDelivery(zombie, aRunPhase({ phase: 'leave', nodeClaim: undefined })), {
      kind: 'drop',
      reason: 'NothingToLeave',
    })
  })

  it('releases at once a claim under which nothing was joined', () => {
    assert.deepEqual(decideDelivery(aClaimedHost(), aRunPhase({ phase: 'leave' })), { kind: 'settle' })
  })

  it('POOL-04: a leave that succeeded is not run again for what follows it', () => {
    const left = aClaimedHost({ claim: aClaim({ leftAtMs: t0 }), leavePending: false })
    assert.deepEqual(decideDelivery(left, aRunPhase({ phase: 'leave' })), { kind: 'settle' })
  })

  it('POOL-09: a third failed leave ends the attempts under this claim', () => {
    const delivery = (leaveAttempts: number) =>
      decideDelivery(aJoinedHost({ leaveAttempts }), aRunPhase({ phase: 'leave' })).kind
    assert.equal(delivery(2), 'start')
    assert.equal(delivery(3), 'settle')
  })

  it('leaves a host that nobody claims if and only if a leave is owed', () => {
    const message = aRunPhase({ phase: 'leave', nodeClaim: undefined })
    assert.deepEqual(decideDelivery(aHost({ leavePending: true, state: 'Leaving' }), message), {
      kind: 'start',
    })
    assert.deepEqual(decideDelivery(aHost(), message), { kind: 'drop', reason: 'NothingToLeave' })
  })

  it('goes on trying to leave a host that nobody claims, however often that failed', () => {
    const host = aHost({ leavePending: true, leaveAttempts: 9, state: 'Unhealthy' })
    assert.deepEqual(decideDelivery(host, aRunPhase({ phase: 'leave', nodeClaim: undefined })), {
      kind: 'start',
    })
  })

  it('removes the Node of a zombie whose leave ended just before the function was killed', () => {
    const lastRun = { id: 'run-1', phase: 'leave', result: 'succeeded', endedAtMs: t0 } as const
    const delivery = decideDelivery(aHost({ lastRun }), aRunPhase({ phase: 'leave', nodeClaim: undefined }))
    assert.deepEqual(delivery, { kind: 'settle' })
  })
})
