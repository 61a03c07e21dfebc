// What the guard asks others to do. Hints, like every message: harmless twice, and the record decides.
import { clusterOf } from '../hosts/cluster-of.ts'
import type { HostKey, HostRecord, Run } from '../hosts/host-record.ts'
import type { RunPhase } from '../messages/run-phase.ts'
import type { GuardDeps } from './guard-deps.ts'

type AskDeps = Pick<GuardDeps, 'messages' | 'settings'>

export async function askForProbe(
  { messages, settings }: AskDeps,
  { cluster, hosts }: { readonly cluster: string; readonly hosts: readonly HostKey[] },
  nowMs: number,
): Promise<void> {
  await messages.send('probe', {
    type: 'ProbeHosts',
    version: 1,
    cluster,
    hosts: [...hosts],
    reason: 'Schedule',
    attempt: 1,
    requestedAtMs: nowMs,
    deadlineAtMs: nowMs + settings.probeIntervalMs,
  })
}

/** For the claim that holds the host, or for nobody. */
export async function askForLeave(
  deps: AskDeps,
  { record, reason }: { readonly record: HostRecord; readonly reason: string },
  nowMs: number,
): Promise<void> {
  await deps.messages.send('leave', { ...requestOf(deps, record, nowMs), phase: 'leave', reason })
}

export async function askToResume(
  deps: AskDeps,
  { record, run }: { readonly record: HostRecord; readonly run: Run },
  nowMs: number,
): Promise<void> {
  const request = { ...requestOf(deps, record, nowMs), phase: run.phase, runId: run.id, reason: 'Abandoned' }
  await deps.messages.send(run.phase, request)
}

function requestOf(
  { settings }: AskDeps,
  record: HostRecord,
  nowMs: number,
): Omit<RunPhase, 'phase' | 'reason'> {
  const { claim } = record
  return {
    type: 'RunPhase',
    version: 1,
    cluster: clusterOf(record),
    host: record.key,
    ...(claim === undefined ? {} : { nodeClaim: { name: claim.nodeClaim, uid: claim.uid } }),
    attempt: 1,
    requestedAtMs: nowMs,
    deadlineAtMs: nowMs + settings.requestWindowMs,
  }
}
