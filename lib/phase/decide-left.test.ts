import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProbeReport } from '../execution/ports.ts'
import { aRun, t0 } from '../../test/support/builders/hosts.ts'
import type { Contact } from './contact.ts'
import { decideLeft, type AgentReport } from './decide-left.ts'
import type { RunSituation } from './decide-report.ts'

const situation: RunSituation = {
  run: aRun({ phase: 'leave', timeoutMs: 180_000 }),
  isFirstContact: false,
  deadlineAtMs: t0,
  nowMs: t0 + 10_000,
  redact: (text) => text,
}
function agentIs(agent: ProbeReport['agent']): Contact<AgentReport> {
  const report: ProbeReport = {
    kind: 'probed',
    cpu: 4,
    memoryBytes: 1,
    arch: 'amd64',
    agent,
    bootID: 'boot-1',
    clockSkewMs: 0,
  }
  return { kind: 'reported', report, hostKeys: [] }
}
const lost = { reason: 'Indeterminate', message: 'contact lost' }

describe('decideLeft', () => {
  it('SSH-15: counts as left if the agent is inactive, whatever is known of the script', () => {
    for (const because of [undefined, lost]) {
      for (const agent of ['inactive', 'failed', 'unknown'] as const) {
        const step = decideLeft(agentIs(agent), because, situation)
        assert.deepEqual(step, { kind: 'finish', result: { kind: 'succeeded' } })
      }
    }
  })

  it('SSH-34: a leave that exits 0 while the agent runs, or keeps restarting, has failed', () => {
    const message = (agent: string) =>
      `leave exited with code 0, but the agent is ${agent}: it must be stopped and disabled`
    for (const agent of ['active', 'activating'] as const) {
      assert.deepEqual(decideLeft(agentIs(agent), undefined, situation), {
        kind: 'finish',
        result: { kind: 'failed', reason: 'AgentStillActive', message: message(agent) },
      })
    }
  })

  it('keeps the first cause when the agent still runs after a leave of unknown end', () => {
    const step = decideLeft(agentIs('active'), lost, situation)
    assert.deepEqual(step, { kind: 'finish', result: { kind: 'failed', ...lost } })
  })

  it('SSH-35: looks again later at a host that cannot be reached, and never takes silence for success', () => {
    const silent = { kind: 'unreachable', reason: 'ConnectTimeout', message: 'no answer' } as const
    assert.equal(decideLeft(silent, undefined, situation).kind, 'attach-later')
    const late = { ...situation, nowMs: t0 + 360_000 }
    assert.deepEqual(decideLeft(silent, undefined, late), {
      kind: 'finish',
      result: { kind: 'indeterminate', reason: 'ConnectTimeout', message: 'no answer' },
    })
  })
})
