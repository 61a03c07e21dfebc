// What a delivery of RunPhase leads to, from the record alone. Messages are hints that come late, twice or in any order;
// the record decides. With R the record's run, and "its claim" the one the message names (or none for both):
//
//   R of the message's phase, its claim     watch R (the lease says whether that is ours to do)
//   R of another phase                      leave waits; install and join are somebody's past: drop
//   no R, the message continued one         it ended: do what is left after it
//   no R, wanted                            start
//   no R, over or not to be touched         do what is left after it
//
// Of a cluster that the host is not tied to a message means nothing: its Secrets and Nodes are others.
import { clusterOf } from '../hosts/cluster-of.ts'
import type { HostRecord, Run } from '../hosts/host-record.ts'
import type { RunPhase } from '../messages/run-phase.ts'
import { isLeaveBudgetSpent } from './budgets.ts'

export type Delivery =
  | { readonly kind: 'start' }
  | { readonly kind: 'watch'; readonly run: Run }
  /** Only what follows a phase is left: see decide-follow-up.ts. */
  | { readonly kind: 'settle' }
  /** Another run is going on the host: come back. */
  | { readonly kind: 'wait'; readonly reason: 'RunInProgress' }
  | { readonly kind: 'drop'; readonly reason: DropReason }

export type DropReason = 'UnknownHost' | 'OtherCluster' | 'ClaimChanged' | 'AnotherRun' | 'NothingToLeave'

export function decideDelivery(record: HostRecord | undefined, message: RunPhase): Delivery {
  if (record === undefined) return { kind: 'drop', reason: 'UnknownHost' }
  if (clusterOf(record) !== message.cluster) return { kind: 'drop', reason: 'OtherCluster' }
  if (record.claim?.uid !== message.nodeClaim?.uid) return ofAnotherClaim(record, message)
  if (record.run !== undefined) return besideRun(record.run, message)
  if (message.runId !== undefined) return { kind: 'settle' }
  return message.phase === 'leave' ? leaveWanted(record) : joinWanted(record)
}

/** The claim is gone or another one holds the host. Tokens of an ended claim may still have to be collected. */
function ofAnotherClaim(record: HostRecord, message: RunPhase): Delivery {
  const isFree = record.claim === undefined && record.run === undefined
  return isFree && message.nodeClaim !== undefined && record.tokenIDs.length > 0
    ? { kind: 'settle' }
    : { kind: 'drop', reason: 'ClaimChanged' }
}

function besideRun(run: Run, message: RunPhase): Delivery {
  const isMeant = run.phase === message.phase && (message.runId === undefined || message.runId === run.id)
  if (isMeant) return { kind: 'watch', run }
  const mustWait = message.phase === 'leave' && message.runId === undefined
  return mustWait ? { kind: 'wait', reason: 'RunInProgress' } : { kind: 'drop', reason: 'AnotherRun' }
}

function joinWanted(record: HostRecord): Delivery {
  const isOver = record.claim?.failure !== undefined || record.claim?.joinedAtMs !== undefined
  const isPast = record.claim?.leftAtMs !== undefined
  return isOver || isPast || record.quarantine !== undefined ? { kind: 'settle' } : { kind: 'start' }
}

function leaveWanted(record: HostRecord): Delivery {
  if (record.claim === undefined) return unclaimedLeaveWanted(record)
  const isDone = record.claim.leftAtMs !== undefined || !record.leavePending
  return isDone || isGivenUp(record) ? { kind: 'settle' } : { kind: 'start' }
}

function unclaimedLeaveWanted(record: HostRecord): Delivery {
  if (record.quarantine !== undefined) return { kind: 'drop', reason: 'NothingToLeave' }
  if (record.leavePending) return { kind: 'start' }
  // A leave may have ended well and its invocation been killed before the Node was deleted.
  const hasJustLeft = record.lastRun?.phase === 'leave' && record.lastRun.result === 'succeeded'
  return hasJustLeft ? { kind: 'settle' } : { kind: 'drop', reason: 'NothingToLeave' }
}

/** The host is not touched again under this claim: its key changed, or leave failed too often. */
export function isGivenUp(record: HostRecord): boolean {
  return record.quarantine !== undefined || isLeaveBudgetSpent(record)
}
