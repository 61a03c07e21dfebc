// What of a change belongs into the ledger: every transition between states, every claim and its end, every run with its
// outcome and duration. What only renews or repeats is left out.
import type { HostEvent } from './host-event.ts'
import type { HostRecord } from './host-record.ts'
import type { HistoryEntry } from './ports.ts'

export interface Changed {
  readonly before: HostRecord
  readonly after: HostRecord
  readonly event: HostEvent
}

const alwaysTold: readonly HostEvent['kind'][] = [
  'claimed',
  'run-started',
  'run-finished',
  'claim-failed',
  'released',
  'quarantined',
]

export function historyEntryOf({ before, after, event }: Changed, atMs: number): HistoryEntry | undefined {
  if (before.state === after.state && !alwaysTold.includes(event.kind)) return undefined
  const claim = after.claim ?? before.claim
  return {
    host: after.key,
    atMs,
    kind: event.kind,
    facts: {
      from: before.state,
      to: after.state,
      fence: after.fence,
      ...(claim === undefined ? {} : { nodeClaim: claim.nodeClaim, uid: claim.uid }),
      ...runFacts(before, after, event),
      ...(after.reason === undefined ? {} : { reason: after.reason }),
    },
  }
}

function runFacts(before: HostRecord, after: HostRecord, event: HostEvent): HistoryEntry['facts'] {
  if (event.kind === 'run-started') {
    return { runId: event.run.id, phase: event.run.phase, attempt: event.run.attempt }
  }
  if (event.kind !== 'run-finished' || before.run === undefined || after.lastRun === undefined) return {}
  const { id, phase, result, reason, endedAtMs } = after.lastRun
  return {
    runId: id,
    phase,
    result,
    durationMs: endedAtMs - before.run.startedAtMs,
    ...(reason === undefined ? {} : { runReason: reason }),
  }
}
