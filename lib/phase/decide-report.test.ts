import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RunOutcome, RunReport } from '../execution/ports.ts'
import type { Run } from '../hosts/host-record.ts'
import { aRun, t0 } from '../../test/support/builders/hosts.ts'
import type { Contact } from './contact.ts'
import { decideReport, type RunSituation } from './decide-report.ts'

function situation(run: Partial<Run> = {}, overrides: Partial<RunSituation> = {}): RunSituation {
  return {
    run: aRun(run),
    isFirstContact: false,
    deadlineAtMs: t0 + 600_000,
    nowMs: t0 + 1_000,
    redact: (text) => text.replaceAll('hunter2hunter2', '[REDACTED]'),
    ...overrides,
  }
}
function reported(report: RunReport): Contact<RunReport> {
  return { kind: 'reported', report, hostKeys: [] }
}
function finished(outcome: Partial<RunOutcome>): Contact<RunReport> {
  const whole: RunOutcome = { kind: 'exited', stdoutTail: '', stderrTail: '', durationMs: 4_000, ...outcome }
  return reported({ kind: 'finished', outcome: whole, bootID: 'boot-1' })
}
const refused = { kind: 'unreachable', reason: 'ConnectRefused', message: 'refused' } as const
const otherKey = { kind: 'other-key', reason: 'HostKeyChanged', message: 'pinned A, it shows B' } as const

describe('decideReport: how the script ended', () => {
  it('takes code 0 for success of install and join, and asks the agent about a leave', () => {
    const zero = finished({ exitCode: 0 })
    const success = { kind: 'finish', result: { kind: 'succeeded' } }
    assert.deepEqual(decideReport(zero, situation({ phase: 'install' })), success)
    assert.deepEqual(decideReport(zero, situation({ phase: 'join' })), success)
    assert.deepEqual(decideReport(zero, situation({ phase: 'leave' })), {
      kind: 'check-left',
      because: undefined,
    })
  })

  it('SSH-34: names phase, exit code and the last lines, with secrets redacted', () => {
    const contact = finished({ exitCode: 3, stderrTail: 'token hunter2hunter2 refused\n' })
    assert.deepEqual(decideReport(contact, situation({ phase: 'join' })), {
      kind: 'finish',
      result: {
        kind: 'failed',
        reason: 'JoinFailed',
        message: 'join exited with code 3 after 4 s: token [REDACTED] refused',
      },
    })
  })

  it('SSH-34: says so when a script that failed printed nothing', () => {
    const step = decideReport(finished({ exitCode: 1 }), situation({ phase: 'install' }))
    assert.deepEqual(step, {
      kind: 'finish',
      result: {
        kind: 'failed',
        reason: 'InstallFailed',
        message: 'install exited with code 1 after 4 s, it printed nothing',
      },
    })
  })

  it('tells a deadline and a kill apart', () => {
    const reasonOf = (kind: RunOutcome['kind']) => {
      const step = decideReport(finished({ kind }), situation({ phase: 'leave' }))
      return step.kind === 'finish' && step.result.kind === 'failed' ? step.result.reason : step.kind
    }
    assert.equal(reasonOf('timed-out'), 'LeaveTimedOut')
    assert.equal(reasonOf('killed'), 'LeaveKilled')
  })

  it('SSH-15: a missing exit code is never success', () => {
    const join = decideReport(finished({}), situation({ phase: 'join' }))
    assert.equal(join.kind === 'finish' ? join.result.kind : join.kind, 'failed')
    const leave = decideReport(finished({}), situation({ phase: 'leave' }))
    assert.equal(leave.kind, 'check-left')
  })

  it('SSH-30: an install that a reboot cut off is run again, three times at most', () => {
    const step = (attempt: number) =>
      decideReport(finished({ kind: 'lost' }), situation({ phase: 'install', attempt }))
    assert.deepEqual(step(1), {
      kind: 'withdraw',
      attempt: 2,
      pace: 1,
      reason: 'HostRebooted',
      message: 'install was cut off by a reboot of the host, it printed nothing',
    })
    const last = step(3)
    assert.equal(
      last.kind === 'finish' && last.result.kind === 'failed' && last.result.reason,
      'HostRebooted',
    )
  })

  it('SSH-30: a join that a reboot cut off has failed, and a leave is judged by the agent', () => {
    const join = decideReport(finished({ kind: 'lost' }), situation({ phase: 'join' }))
    assert.equal(
      join.kind === 'finish' && join.result.kind === 'failed' && join.result.reason,
      'HostRebooted',
    )
    const leave = decideReport(finished({ kind: 'lost' }), situation({ phase: 'leave' }))
    assert.equal(leave.kind === 'check-left' && leave.because?.reason, 'HostRebooted')
  })
})

describe('decideReport: what the host says of a run', () => {
  it('watches on while the run is going', () => {
    const step = decideReport(reported({ kind: 'running', offset: 512, bootID: 'boot-1' }), situation())
    assert.deepEqual(step, { kind: 'watch-on', offset: 512 })
  })

  it('POOL-13: asks for a run that goes on past its own deadline, then gives up on it', () => {
    const running = reported({ kind: 'running', offset: 0, bootID: 'boot-1' })
    const at = (nowMs: number, phase: Run['phase'] = 'join') =>
      decideReport(running, situation({ phase, timeoutMs: 300_000 }, { nowMs: t0 + nowMs }))
    assert.equal(at(479_999).kind, 'watch-on')
    assert.deepEqual(at(480_000), {
      kind: 'finish',
      result: { kind: 'indeterminate', reason: 'RunOverdue', message: 'the run goes on past its deadline' },
    })
    assert.equal(at(480_000, 'leave').kind, 'check-left')
  })

  it('POOL-02: starts by the same id a recorded run that the host has never heard of', () => {
    assert.deepEqual(decideReport(reported({ kind: 'unknown' }), situation()), { kind: 'start-again' })
  })

  it('DDB-04: takes back a start when the host has seen a higher fence', () => {
    const stale = reported({ kind: 'refused', reason: 'FenceStale', message: 'fence 7, seen 9' })
    const step = decideReport(stale, situation({}, { isFirstContact: true }))
    const cause = { reason: 'FenceStale', message: 'fence 7, seen 9' }
    assert.deepEqual(step, { kind: 'withdraw', attempt: 2, pace: 1, ...cause })
    const last = decideReport(stale, situation({ attempt: 4 }, { isFirstContact: true }))
    assert.equal(last.kind === 'finish' && last.result.kind, 'not-started')
  })

  it('SSH-31: waits for another run on the host, within the deadline of the request', () => {
    const busy = reported({ kind: 'refused', reason: 'RunInProgress', message: 'run-9 is going' })
    const at = (nowMs: number) =>
      decideReport(busy, situation({ attempt: 1 }, { isFirstContact: true, nowMs: t0 + nowMs }))
    const cause = { reason: 'RunInProgress', message: 'run-9 is going' }
    assert.deepEqual(at(0), { kind: 'withdraw', attempt: 1, pace: 4, ...cause })
    assert.deepEqual(at(600_000), {
      kind: 'finish',
      result: { kind: 'not-started', blamesHost: true, ...cause },
    })
  })

  it('leaves a host of another installation alone and says how to adopt it', () => {
    const foreign = reported({ kind: 'refused', reason: 'ForeignInstallation', message: 'owned by x' })
    assert.deepEqual(decideReport(foreign, situation({ phase: 'install' }, { isFirstContact: true })), {
      kind: 'finish',
      result: {
        kind: 'not-started',
        reason: 'ForeignInstallation',
        message: 'owned by x; see kpssh host adopt',
        blamesHost: true,
      },
    })
  })

  it('does not blame a host whose shim holds something against the profile', () => {
    const blames = (reason: string) => {
      const step = decideReport(
        reported({ kind: 'unable', reason, message: 'no' }),
        situation({}, { isFirstContact: true }),
      )
      return step.kind === 'finish' && step.result.kind === 'not-started' && step.result.blamesHost
    }
    assert.equal(blames('ManifestSerialTooLow'), false)
    assert.equal(blames('ParameterRefused'), false)
    assert.equal(blames('ManifestExpired'), true)
    assert.equal(blames('SignatureRejected'), true)
    assert.equal(blames('ShimMissing'), true)
  })

  it('blames the host for a missing prerequisite and does not try again', () => {
    const unable = reported({ kind: 'unable', reason: 'SudoNeedsTty', message: 'sudo wants a terminal' })
    assert.deepEqual(decideReport(unable, situation({}, { isFirstContact: true })), {
      kind: 'finish',
      result: {
        kind: 'not-started',
        reason: 'SudoNeedsTty',
        message: 'sudo wants a terminal',
        blamesHost: true,
      },
    })
  })
})

describe('decideReport: no contact', () => {
  it('tries a start that did not reach the host again, then blames the host', () => {
    const step = (attempt: number) => decideReport(refused, situation({ attempt }, { isFirstContact: true }))
    assert.deepEqual(step(1), {
      kind: 'withdraw',
      attempt: 2,
      pace: 1,
      reason: 'ConnectRefused',
      message: 'refused',
    })
    assert.deepEqual(step(4), {
      kind: 'finish',
      result: { kind: 'not-started', reason: 'ConnectRefused', message: 'refused', blamesHost: true },
    })
  })

  it('does not try again after the deadline of the request', () => {
    const step = decideReport(refused, situation({}, { isFirstContact: true, nowMs: t0 + 600_000 }))
    assert.equal(step.kind === 'finish' && step.result.kind, 'not-started')
  })

  it('SSH-15: asks again for a run that may be going, and calls it indeterminate in the end', () => {
    const lost = reported({ kind: 'indeterminate', message: 'contact lost' })
    for (const contact of [lost, refused]) {
      const at = (nowMs: number) => decideReport(contact, situation({}, { nowMs: t0 + nowMs }))
      assert.equal(at(479_999).kind, 'attach-later')
      const last = at(480_000)
      assert.equal(last.kind === 'finish' && last.result.kind, 'indeterminate')
    }
  })

  it('asks for a run as long as it may take, whatever the deadline of the request', () => {
    for (const deadlineAtMs of [t0 + 1, t0 + 9_000_000]) {
      const at = (nowMs: number) =>
        decideReport(refused, situation({ timeoutMs: 3_600_000 }, { nowMs: t0 + nowMs, deadlineAtMs })).kind
      assert.equal(at(3_779_999), 'attach-later')
      assert.equal(at(3_780_000), 'finish')
    }
  })

  it('SSH-01: a changed key quarantines; whether a join began decides if its claim is simply freed', () => {
    const cause = { reason: 'HostKeyChanged', message: 'pinned A, it shows B' }
    assert.deepEqual(decideReport(otherKey, situation({}, { isFirstContact: true })), {
      kind: 'quarantine',
      result: { kind: 'not-started', blamesHost: true, ...cause },
      ...cause,
    })
    assert.deepEqual(decideReport(otherKey, situation()), {
      kind: 'quarantine',
      result: { kind: 'indeterminate', ...cause },
      ...cause,
    })
  })

  it('does not blame the host for a key that cannot be used', () => {
    const unusable = { kind: 'unusable', reason: 'SSHKeyInvalid', message: 'not a key' } as const
    assert.deepEqual(decideReport(unusable, situation({}, { isFirstContact: true })), {
      kind: 'finish',
      result: { kind: 'not-started', reason: 'SSHKeyInvalid', message: 'not a key', blamesHost: false },
    })
  })
})
