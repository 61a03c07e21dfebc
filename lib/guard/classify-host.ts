// What one record calls for, from the record alone. The guard repairs what got lost on the way: a message, an invocation, a
// NodeClaim that somebody deleted by force. It decides nothing that the record does not already say, and it touches no host:
// it asks for looks and leaves, and whoever carries them out reads the record again.
//
// A host is a zombie if and only if it has no claim and no run, its agent is active or activating, and our installation's
// marker is in the table or on the host (isZombie, in lib/hosts). The probe sees that and records that a leave is owed; from
// then on the guard asks for that leave until one has succeeded. Whatever else runs is foreign: looked at, never touched.
import { isBackingOff } from '../hosts/failures.ts'
import type { Claim, HostRecord, Run } from '../hosts/host-record.ts'
import { isLeaseExpired } from '../hosts/lease.ts'
import { isAgentAlive } from '../hosts/probe-rules.ts'
import type { GuardSettings } from './guard-settings.ts'

export interface HostFindings {
  readonly isProbeDue: boolean
  /** A leave that nobody's claim waits for: `waits` while the host may not be touched yet. */
  readonly owedLeave: 'none' | 'due' | 'waits'
  /** A run whose watcher is gone. */
  readonly abandonedRun: Run | undefined
  /** A claim at rest, whose NodeClaim may be gone. */
  readonly claimToCheck: Claim | undefined
  readonly spentTokens: readonly string[]
  /** It left, and a Node of it may have been left behind. */
  readonly isNodeSuspect: boolean
}

export function classifyHost(record: HostRecord, nowMs: number, settings: GuardSettings): HostFindings {
  const owedLeave = owedLeaveOf(record, nowMs)
  return {
    owedLeave,
    isProbeDue: owedLeave !== 'due' && isProbeDue(record, nowMs, settings),
    abandonedRun: abandonedRunOf(record, nowMs, settings),
    claimToCheck: record.run === undefined && record.takenIn ? record.claim : undefined,
    spentTokens: hasSpentTokens(record) ? record.tokenIDs : [],
    isNodeSuspect: isNodeSuspect(record),
  }
}

function isHeld(record: HostRecord): boolean {
  return record.claim !== undefined || record.run !== undefined
}

function isOffLimits(record: HostRecord): boolean {
  return record.quarantine !== undefined || record.maintenance
}

function owedLeaveOf(record: HostRecord, nowMs: number): HostFindings['owedLeave'] {
  if (isHeld(record) || !record.leavePending) return 'none'
  return isOffLimits(record) || !record.takenIn || isBackingOff(record, nowMs) ? 'waits' : 'due'
}

/** A host that is held is seen by its run and its Node; unless a lost table was rebuilt, and nobody has confirmed it yet. */
function isProbeDue(record: HostRecord, nowMs: number, { probeIntervalMs }: GuardSettings): boolean {
  const isBusy = record.run !== undefined || (record.claim !== undefined && record.takenIn)
  if (isBusy || isOffLimits(record)) return false
  return record.probedAtMs === undefined || nowMs - record.probedAtMs >= probeIntervalMs
}

function abandonedRunOf(
  { run }: HostRecord,
  nowMs: number,
  { resumeGraceMs }: GuardSettings,
): Run | undefined {
  return run !== undefined && isLeaseExpired(run, nowMs - resumeGraceMs) ? run : undefined
}

/** A token is spent when its Node exists, or when the claim that it was minted for is over. */
function hasSpentTokens({ claim, run, nodeName, takenIn }: HostRecord): boolean {
  if (run?.phase === 'join' || !takenIn) return false
  if (claim === undefined || claim.leftAtMs !== undefined) return true
  return claim.joinedAtMs !== undefined && nodeName !== undefined
}

function isNodeSuspect(record: HostRecord): boolean {
  const hasLeft = record.lastRun?.phase === 'leave' && record.lastRun.result === 'succeeded'
  return hasLeft && !isHeld(record) && !record.leavePending && !isAgentAlive(record.agent)
}
