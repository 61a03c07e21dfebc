// What is left to do when no run goes on: read from the record, so that whoever comes after a crash does the same things in
// the same order. Each step is recorded right after it, and none undoes an earlier one.
import { backOffMs } from '../hosts/failures.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { RunPhaseName } from '../hosts/phase-name.ts'
import type { RunPhase } from '../messages/run-phase.ts'
import { isGivenUp } from './decide-delivery.ts'

export type FollowUp =
  | { readonly kind: 'collect-tokens' }
  /** The host's Node, registered or not: what it costs follows the Node. */
  | { readonly kind: 'remove-node' }
  | {
      readonly kind: 'release'
      readonly isClean: boolean
      readonly reason?: string
      readonly message?: string
    }
  | {
      readonly kind: 'request'
      readonly phase: RunPhaseName
      readonly reason: string
      readonly delayMs: number
    }

const removeNode: FollowUp = { kind: 'remove-node' }
const collectTokens: FollowUp = { kind: 'collect-tokens' }
const releaseClean: FollowUp = { kind: 'release', isClean: true }

export function decideFollowUps(record: HostRecord, message: RunPhase): readonly FollowUp[] {
  return withinRights(whatIsLeft(record, message), message.phase)
}

/** Each function may do what its own phase needs: only leave deletes Nodes, only join and leave know of tokens. */
function withinRights(followUps: readonly FollowUp[], phase: RunPhaseName): readonly FollowUp[] {
  if (phase === 'leave') return followUps
  if (followUps.includes(removeNode)) {
    return [{ kind: 'request', phase: 'leave', reason: 'Release', delayMs: 0 }]
  }
  return phase === 'join' ? followUps : followUps.filter((followUp) => followUp !== collectTokens)
}

function whatIsLeft(record: HostRecord, message: RunPhase): readonly FollowUp[] {
  if (record.run !== undefined) return []
  const uid = message.nodeClaim?.uid
  if (record.claim === undefined) return withoutClaim(record, uid !== undefined)
  if (record.claim.uid !== uid) return []
  if (record.claim.leftAtMs !== undefined) return [removeNode, collectTokens, releaseClean]
  if (isGivenUp(record)) return [...(record.leavePending ? [removeNode] : []), collectTokens, giveUp(record)]
  if (record.claim.failure !== undefined) return afterFailure(record)
  return asAsked(record, message.phase)
}

/** The claim ended in the table; what it leaves in the cluster may not have. */
function withoutClaim(record: HostRecord, wasClaimed: boolean): readonly FollowUp[] {
  if (record.leavePending) return []
  return wasClaimed ? [collectTokens] : [removeNode, collectTokens]
}

function giveUp(record: HostRecord): FollowUp {
  const { quarantine, failures } = record
  return {
    kind: 'release',
    isClean: false,
    reason: quarantine?.reason ?? failures?.lastReason ?? 'LeaveFailed',
    message: quarantine?.message ?? failures?.lastMessage ?? 'leave failed too often',
  }
}

/** A join that failed may have left half a node behind: leave runs before the claim is given up. */
function afterFailure(record: HostRecord): readonly FollowUp[] {
  return [collectTokens, record.leavePending ? leaveAgain(record, 'JoinFailed') : releaseClean]
}

function asAsked(record: HostRecord, phase: RunPhaseName): readonly FollowUp[] {
  switch (phase) {
    case 'install': {
      const hasInstalled = record.lastRun?.phase === 'install' && record.lastRun.result === 'succeeded'
      return hasInstalled ? [{ kind: 'request', phase: 'join', reason: 'Installed', delayMs: 0 }] : []
    }
    case 'join':
      return []
    case 'leave':
      // Nothing was ever joined under this claim: there is no Node of this host to look for.
      return record.leavePending ? [leaveAgain(record, 'Retry')] : [collectTokens, releaseClean]
  }
}

/** Waits by the leaves that failed in a row, not by the host's own back-off: the claim is still held for it. */
function leaveAgain(record: HostRecord, reason: string): FollowUp {
  const delayMs = record.leaveAttempts === 0 ? 0 : backOffMs(record.leaveAttempts)
  return { kind: 'request', phase: 'leave', reason, delayMs }
}
