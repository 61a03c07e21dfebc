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
import { claimFailureOf } from './claim-failure.ts'
import type { HostEvent, RunResult } from './host-event.ts'
import type { HostRecord } from './host-record.ts'

const failed: RunResult = { kind: 'failed', reason: 'ScriptFailed', message: 'exit 1' }
const indeterminate: RunResult = { kind: 'indeterminate', reason: 'Indeterminate', message: 'contact lost' }
const unreachable: RunResult = {
  kind: 'not-started',
  reason: 'ConnectTimeout',
  message: 'no answer',
  blamesHost: true,
}
const misconfigured: RunResult = {
  kind: 'not-started',
  reason: 'SecretMissing',
  message: 'no key',
  blamesHost: false,
}

function finished(result: RunResult, runId = 'run-1'): HostEvent {
  return { kind: 'run-finished', runId, result }
}

function running(phase: 'install' | 'join' | 'leave', host: HostRecord): HostRecord {
  return { ...host, run: aRun({ phase }) }
}

const installing = running('install', aClaimedHost())
const joining = running('join', aClaimedHost({ leavePending: true }))
const leaving = running('leave', aJoinedHost())
const leavingUnclaimed = running('leave', aHost({ state: 'Leaving', leavePending: true }))

describe('run-finished', () => {
  it('POOL-02: changes nothing when the same end is reported twice', () => {
    const host = after(joining, finished({ kind: 'succeeded' }), t0)
    assert.equal(answer(host, finished({ kind: 'succeeded' }), t0), 'unchanged')
    assert.equal(answer(host, finished(failed), t0), 'unchanged')
  })

  it('DDB-04: is refused for a run that is not the one going on', () => {
    assert.equal(answer(joining, finished({ kind: 'succeeded' }, 'run-0'), t0), 'no-such-run')
    assert.equal(answer(aHost(), finished(failed), t0), 'no-such-run')
  })

  it('remembers how the run ended', () => {
    assert.deepEqual(after(joining, finished(failed), t0).lastRun, {
      id: 'run-1',
      phase: 'join',
      result: 'failed',
      reason: 'ScriptFailed',
      endedAtMs: t0,
    })
  })
})

describe('run-finished, withdrawn', () => {
  const withdrawn: RunResult = { kind: 'withdrawn', reason: 'RunInProgress', message: 'another run goes on' }

  it('is as if the run had not been started, and the phase can be started again', () => {
    const host = after(joining, finished(withdrawn), t0)
    assert.equal(host.state, 'Claimed')
    assert.equal(host.claim?.failure, undefined)
    assert.equal(host.leavePending, false)
    assert.equal(answer(host, runStarted({ run: aStart({ id: 'run-2' }) }), t0), 'moved')
  })

  it('takes back no leave that was owed before', () => {
    const host = { ...joining, run: aRun({ wasLeavePending: true }) }
    assert.equal(after(host, finished(withdrawn), t0).leavePending, true)
    assert.equal(after(leaving, finished(withdrawn), t0).leavePending, true)
    assert.equal(after(leavingUnclaimed, finished(withdrawn), t0).state, 'Leaving')
  })

  it('parks a host whose maintenance began meanwhile', () => {
    const host = { ...leavingUnclaimed, maintenance: true }
    assert.equal(after(host, finished(withdrawn), t0).state, 'Maintenance')
  })

  it('is refused when somebody else watches the run by now', () => {
    const event: HostEvent = {
      kind: 'run-finished',
      runId: 'run-1',
      result: withdrawn,
      holder: 'invocation-2',
    }
    assert.equal(answer(joining, event, t0), 'lease-valid')
    assert.equal(answer(joining, { ...event, holder: 'invocation-1' }, t0), 'moved')
  })
})

describe('run-finished, install', () => {
  it('keeps the claim and notes what is installed when it succeeded', () => {
    const host = after(
      installing,
      {
        kind: 'run-finished',
        runId: 'run-1',
        result: { kind: 'succeeded' },
        installed: { marker: 'demo@2', vars: 'v2' },
      },
      t0,
    )
    assert.equal(host.installed, 'demo@2')
    assert.equal(host.installedVars, 'v2')
    assert.equal(host.state, 'Claimed')
    assert.equal(host.run, undefined)
  })

  for (const result of [failed, indeterminate, unreachable]) {
    it(`frees the host at once and backs it off when ${result.kind}: nothing joined`, () => {
      const host = after(installing, finished(result), t0)
      assert.equal(host.state, 'Unhealthy')
      assert.equal(host.reason, result.reason)
      assert.equal(host.claim, undefined)
      assert.equal(host.leavePending, false)
      assert.equal(host.failures?.notBeforeMs, t0 + 30_000)
      assert.deepEqual(claimFailureOf(host, 'uid-1'), { reason: result.reason, message: result.message })
    })
  }

  it('offers the host again after a short wait when a configuration is wrong, and counts nothing', () => {
    const host = after(installing, finished(misconfigured), t0)
    assert.equal(host.state, 'Available')
    assert.equal(host.failures?.count, 0)
    assert.equal(host.failures.notBeforeMs, t0 + 30_000)
    assert.deepEqual(claimFailureOf(host, 'uid-1'), { reason: 'SecretMissing', message: 'no key' })
  })

  it('keeps the claim for a leave that is owed already', () => {
    const host = after({ ...installing, leavePending: true }, finished(failed), t0)
    assert.equal(host.state, 'Claimed')
    assert.deepEqual(host.claim?.failure, {
      phase: 'install',
      reason: 'ScriptFailed',
      message: 'exit 1',
      blamesHost: true,
    })
  })
})

describe('run-finished, join', () => {
  it('makes the host InUse when its providerID is known, and forgets its failures', () => {
    const failures = { count: 3, lastReason: 'JoinFailed', lastMessage: '', notBeforeMs: t0 }
    const host = after({ ...joining, failures }, finished({ kind: 'succeeded' }), t0)
    assert.equal(host.state, 'InUse')
    assert.equal(host.claim?.joinedAtMs, t0)
    assert.equal(host.leavePending, true)
    assert.equal(host.failures, undefined)
  })

  it('waits for the Node when that brings the providerID', () => {
    const host = after({ ...joining, providerID: undefined }, finished({ kind: 'succeeded' }), t0)
    assert.equal(host.state, 'Claimed')
    assert.equal(host.claim?.joinedAtMs, t0)
  })

  for (const result of [failed, indeterminate]) {
    it(`POOL-06: keeps claim and owed leave when ${result.kind}: leave runs before the host is given up`, () => {
      const host = after(joining, finished(result), t0)
      assert.equal(host.state, 'Claimed')
      assert.equal(host.leavePending, true)
      assert.deepEqual(host.claim?.failure, {
        phase: 'join',
        reason: result.reason,
        message: result.message,
        blamesHost: true,
      })
    })
  }

  it('frees the host at once when nothing was started', () => {
    const host = after(joining, finished(unreachable), t0)
    assert.equal(host.state, 'Unhealthy')
    assert.equal(host.claim, undefined)
    assert.equal(host.leavePending, false)
  })

  it('does not blame the host for a wrong configuration', () => {
    const host = after(joining, finished(misconfigured), t0)
    assert.equal(host.state, 'Available')
    assert.equal(host.leavePending, false)
    assert.equal(host.failures?.count, 0)
  })

  it('still owes a leave that was owed before this join, even if nothing was started', () => {
    const host = { ...joining, run: aRun({ wasLeavePending: true }) }
    const next = after(host, finished(unreachable), t0)
    assert.equal(next.state, 'Claimed')
    assert.equal(next.leavePending, true)
  })

  it('ref 15.7: doubles the wait with every failure in a row', () => {
    const failures = { count: 3, lastReason: 'JoinFailed', lastMessage: '', notBeforeMs: t0 }
    const host = after({ ...joining, failures }, finished(failed), t0)
    assert.equal(host.failures?.count, 4)
    assert.equal(host.failures.notBeforeMs, t0 + 240_000)
  })
})

describe('run-finished, leave', () => {
  it('owes nothing any more and notes when, so that only the follow-ups are left', () => {
    const host = after(leaving, finished({ kind: 'succeeded' }), t0 + 5)
    assert.equal(host.leavePending, false)
    assert.equal(host.claim?.leftAtMs, t0 + 5)
    assert.equal(host.state, 'InUse')
  })

  it('waits for a probe when nobody claims the host', () => {
    const host = after(leavingUnclaimed, finished({ kind: 'succeeded' }), t0)
    assert.equal(host.state, 'Pending')
    assert.equal(host.leavePending, false)
  })

  for (const result of [failed, indeterminate, unreachable]) {
    it(`POOL-09: counts the attempt and still owes the leave when ${result.kind}`, () => {
      const host = after({ ...leavingUnclaimed, leaveAttempts: 3 }, finished(result), t0)
      assert.equal(host.state, 'Unhealthy')
      assert.equal(host.leavePending, true)
      assert.equal(host.leaveAttempts, 4)
      assert.equal(host.failures?.notBeforeMs, t0 + 240_000)
    })
  }

  it('keeps the claim when it failed', () => {
    const host = after(leaving, finished(failed), t0)
    assert.equal(host.claim?.uid, 'uid-1')
    assert.equal(host.leaveAttempts, 1)
    assert.equal(host.state, 'InUse')
  })

  it('does not make the next join wait for a leave that was hard', () => {
    const host = after({ ...leavingUnclaimed, leaveAttempts: 6 }, finished(failed), t0)
    assert.equal(host.failures?.count, 0)
    const again = { ...host, state: 'Leaving' as const, run: aRun({ id: 'run-2', phase: 'leave' }) }
    assert.equal(after(again, finished({ kind: 'succeeded' }, 'run-2'), t0).failures, undefined)
  })

  it('keeps what a failed join made of the host', () => {
    const failures = {
      count: 2,
      lastReason: 'JoinFailed',
      lastMessage: 'exit 1',
      nodeClaimUid: 'uid-1',
      notBeforeMs: t0 + 60_000,
    }
    const claim = aClaim({
      failure: { phase: 'join', reason: 'JoinFailed', message: 'exit 1', blamesHost: true },
    })
    const host = after(
      running('leave', aClaimedHost({ leavePending: true, claim, failures })),
      finished({ kind: 'succeeded' }),
      t0,
    )
    assert.deepEqual(host.failures, failures)
  })
})
