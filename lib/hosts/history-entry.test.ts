import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aClaimedHost, aHost, aHostKey, aRun, probed, t0 } from '../../test/support/builders/hosts.ts'
import { after } from '../../test/support/builders/transitions.ts'
import type { HostEvent } from './host-event.ts'
import type { HostRecord } from './host-record.ts'
import { historyEntryOf } from './history-entry.ts'

function entryOf(before: HostRecord, event: HostEvent, nowMs: number) {
  return historyEntryOf({ before, after: after(before, event, nowMs), event }, nowMs)
}

describe('historyEntryOf', () => {
  it('tells who took a host, from which state to which, with which fence', () => {
    assert.deepEqual(entryOf(aHost(), { kind: 'claimed', claim: aClaim() }, t0), {
      host: aHostKey(),
      atMs: t0,
      kind: 'claimed',
      facts: {
        from: 'Available',
        to: 'Claimed',
        fence: 1_767_225_600,
        nodeClaim: 'workers-abcde',
        uid: 'uid-1',
      },
    })
  })

  it('tells phase, outcome and duration of a run, and whose it was when its claim ends with it', () => {
    const host = aClaimedHost({ run: aRun({ phase: 'install' }) })
    const result = { kind: 'failed', reason: 'ScriptFailed', message: 'exit 1' } as const
    assert.deepEqual(entryOf(host, { kind: 'run-finished', runId: 'run-1', result }, t0 + 4_000)?.facts, {
      from: 'Claimed',
      to: 'Unhealthy',
      fence: 0,
      nodeClaim: 'workers-abcde',
      uid: 'uid-1',
      runId: 'run-1',
      phase: 'install',
      result: 'failed',
      durationMs: 4_000,
      runReason: 'ScriptFailed',
      reason: 'ScriptFailed',
    })
  })

  it('leaves out what only renews or repeats', () => {
    assert.equal(entryOf(aHost(), probed(), t0), undefined)
    const watched = {
      kind: 'run-watched',
      runId: 'run-1',
      holder: 'invocation-1',
      leaseUntilMs: t0 + 90_000,
    } as const
    assert.equal(entryOf(aClaimedHost({ run: aRun() }), watched, t0), undefined)
  })
})
