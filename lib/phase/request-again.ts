// Messages that go on: another delivery takes up what this one could not finish, or does what follows from it. The old message
// is acknowledged; nothing waits inside a function.
import { clusterOf } from '../hosts/cluster-of.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { RunPhaseName } from '../hosts/phase-name.ts'
import type { RunPhase } from '../messages/run-phase.ts'
import { maxDelaySeconds, requestWindowMs } from './budgets.ts'
import type { Activity } from './phase-deps.ts'

interface Again {
  /** The run to go on watching; absent to start one. */
  readonly runId?: string
  readonly reason: string
  readonly attempt: number
  readonly delayMs: number
  /** Worth trying until then; as before if absent. */
  readonly deadlineAtMs?: number
}

/** The same request once more. */
export async function requestAgain({ deps, message }: Activity, again: Again): Promise<void> {
  const { runId, reason, attempt, delayMs, deadlineAtMs = message.deadlineAtMs } = again
  const next = { ...message, reason, attempt, deadlineAtMs }
  if (runId === undefined) delete next.runId
  else next.runId = runId
  await deps.messages.send(message.phase, next, { delaySeconds: toSeconds(delayMs) })
}

/** Another phase, or the same one anew, for whoever holds the host now. */
export async function requestPhase(
  { deps, message, scope }: Activity,
  record: HostRecord,
  request: { readonly phase: RunPhaseName; readonly reason: string; readonly delayMs: number },
): Promise<void> {
  const nowMs = scope.clock.nowMs()
  const { claim } = record
  const next: RunPhase = {
    type: 'RunPhase',
    version: 1,
    cluster: clusterOf(record),
    phase: request.phase,
    host: record.key,
    ...(claim === undefined ? {} : { nodeClaim: { name: claim.nodeClaim, uid: claim.uid } }),
    reason: request.reason,
    attempt: 1,
    requestedAtMs: nowMs,
    deadlineAtMs: Math.max(message.deadlineAtMs, nowMs + requestWindowMs),
  }
  await deps.messages.send(request.phase, next, { delaySeconds: toSeconds(request.delayMs) })
}

/** So that the cluster's reconcile sees the change now, not at the next heartbeat. */
export async function tellCluster({ deps, message, scope }: Activity, record: HostRecord): Promise<void> {
  await deps.messages.send('events', {
    type: 'HostChanged',
    version: 1,
    cluster: message.cluster,
    host: record.key,
    what: message.phase,
    atMs: scope.clock.nowMs(),
  })
}

function toSeconds(delayMs: number): number {
  return Math.min(maxDelaySeconds, Math.max(0, Math.ceil(delayMs / 1000)))
}
