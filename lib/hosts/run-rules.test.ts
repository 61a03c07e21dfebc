import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  aClaim,
  aClaimedHost,
  aHost,
  aJoinedHost,
  aRun,
  aStart,
  runStarted,
  t0,
} from '../../test/support/builders/hosts.ts'
import { after, answer } from '../../test/support/builders/transitions.ts'
import type { HostEvent } from './host-event.ts'

const startLeave = runStarted({ run: aStart({ phase: 'leave' }) })
const startLeaveUnclaimed = runStarted({ run: aStart({ phase: 'leave' }), claimUid: undefined })

describe('run-started', () => {
  it('raises the fence and gives it to the run', () => {
    const host = after(aClaimedHost({ fence: 1_767_225_600 }), runStarted(), t0)
    assert.equal(host.fence, 1_767_225_601)
    assert.equal(host.run?.fence, 1_767_225_601)
  })

  it('owes a leave from the start of a join, with the recipe stored for it', () => {
    const host = after(aClaimedHost({ leaveAttempts: 2 }), runStarted({ leaveRecipe: 'sha' }), t0)
    assert.equal(host.leavePending, true)
    assert.equal(host.leaveRecipe, 'sha')
    assert.equal(host.leaveAttempts, 0)
    assert.equal(host.state, 'Claimed')
  })

  it('forgets what an install saw when another begins, so that one cut short is repeated', () => {
    const host = after(aClaimedHost(), runStarted({ run: aStart({ phase: 'install' }) }), t0)
    assert.equal(host.installed, 'demo@1')
    assert.equal(host.installedVars, undefined)
    assert.equal(host.leavePending, false)
  })

  it('POOL-02: reads as done for the run that is already started', () => {
    assert.equal(answer(aClaimedHost({ run: aRun() }), runStarted(), t0), 'unchanged')
  })

  it('POOL-02: is refused for a run that already ended', () => {
    const host = aJoinedHost({ lastRun: { id: 'run-1', phase: 'join', result: 'succeeded', endedAtMs: t0 } })
    assert.equal(answer(host, runStarted(), t0), 'not-applicable')
  })

  it('never starts a second run, not even beside one whose lease expired', () => {
    const host = aClaimedHost({ run: aRun({ id: 'run-0', leaseUntilMs: t0 - 3_600_000 }) })
    assert.equal(answer(host, runStarted(), t0), 'run-in-progress')
  })

  it('POOL-11: is refused when the claim it works for is gone or another', () => {
    assert.equal(answer(aHost(), runStarted(), t0), 'no-claim')
    assert.equal(answer(aClaimedHost({ claim: aClaim({ uid: 'uid-2' }) }), startLeave, t0), 'claim-changed')
    assert.equal(answer(aClaimedHost(), startLeaveUnclaimed, t0), 'held-by-another')
  })

  it('sends nothing to a machine whose identity is in doubt', () => {
    const quarantine = { reason: 'HostKeyChanged', message: '' }
    assert.equal(answer(aJoinedHost({ quarantine }), startLeave, t0), 'quarantined')
  })

  it('is refused when the phase has nothing left to do', () => {
    const failure = { phase: 'join', reason: 'JoinFailed', message: '', blamesHost: true }
    assert.equal(answer(aJoinedHost(), runStarted(), t0), 'not-applicable')
    assert.equal(answer(aClaimedHost({ claim: aClaim({ failure }) }), runStarted(), t0), 'not-applicable')
    assert.equal(answer(aJoinedHost({ claim: aClaim({ leftAtMs: t0 }) }), startLeave, t0), 'not-applicable')
    assert.equal(answer(aHost(), startLeaveUnclaimed, t0), 'not-applicable')
  })

  it('starts nothing but a leave without a claim, and that only where one is owed', () => {
    const owing = aHost({ state: 'Unhealthy', leavePending: true })
    assert.equal(answer(owing, runStarted({ claimUid: undefined }), t0), 'not-applicable')
    assert.equal(answer(owing, startLeaveUnclaimed, t0), 'moved')
  })

  it('remembers that a leave was owed before a join', () => {
    assert.equal(after(aClaimedHost(), runStarted(), t0).run?.wasLeavePending, undefined)
    assert.equal(after(aClaimedHost({ leavePending: true }), runStarted(), t0).run?.wasLeavePending, true)
  })

  it('leaves a claimed host in its state and an unclaimed one Leaving', () => {
    assert.equal(after(aJoinedHost(), startLeave, t0).state, 'InUse')
    const owing = aHost({ state: 'Unhealthy', leavePending: true })
    assert.equal(after(owing, startLeaveUnclaimed, t0).state, 'Leaving')
  })
})

describe('run-watched', () => {
  const watched: HostEvent = {
    kind: 'run-watched',
    runId: 'run-1',
    holder: 'invocation-2',
    leaseUntilMs: t0 + 120_000,
  }
  const host = aClaimedHost({ run: aRun({ leaseUntilMs: t0 + 60_000 }) })

  it('DDB-03: lets anybody take over at the first look after lease and clock bound have passed', () => {
    assert.equal(answer(host, watched, t0 + 61_999), 'lease-valid')
    const taken = after(host, watched, t0 + 62_000)
    assert.equal(taken.run?.holder, 'invocation-2')
    assert.equal(taken.run.leaseUntilMs, t0 + 120_000)
  })

  it('lets the holder renew its own lease', () => {
    const renewed = after(host, { ...watched, holder: 'invocation-1' }, t0)
    assert.equal(renewed.run?.leaseUntilMs, t0 + 120_000)
  })

  it('DDB-04: raises no fence, since watching does nothing to the host', () => {
    assert.equal(after(host, watched, t0 + 62_000).fence, host.fence)
  })

  it('is refused for a run that is not there', () => {
    assert.equal(answer(aClaimedHost(), watched, t0), 'no-such-run')
    assert.equal(answer(aClaimedHost({ run: aRun({ id: 'run-9' }) }), watched, t0), 'no-such-run')
  })

  it('changes nothing when the lease is already so', () => {
    assert.equal(
      answer(host, { ...watched, holder: 'invocation-1', leaseUntilMs: t0 + 60_000 }, t0),
      'unchanged',
    )
  })
})
