// Claims and what hangs on them: who holds a host, which Node it became, which tokens were minted for it.
import { claimRefusal } from './claimable.ts'
import { hostFailed, rearmed, type FailureCause } from './failures.ts'
import { nextFence } from './fence.ts'
import type { HostRecord } from './host-record.ts'
import { rest } from './resting.ts'
import {
  always,
  claimedStates,
  everyState,
  keep,
  move,
  refuse,
  type HostEventOf,
  type Refusal,
  type Rule,
} from './transition-rule.ts'

type Claimed = HostEventOf<'claimed'>
type ClaimFailed = HostEventOf<'claim-failed'>
type Released = HostEventOf<'released'>
type NodeMatched = HostEventOf<'node-matched'>
type TokenRecorded = HostEventOf<'token-recorded'>
type TokenCollected = HostEventOf<'token-collected'>

export function isUnclaimed(record: HostRecord): boolean {
  return record.claim === undefined
}

export function isClaimed(record: HostRecord): boolean {
  return record.claim !== undefined
}

export function isRunning(record: HostRecord): boolean {
  return record.run !== undefined
}

export function isOfAnotherClaim(record: HostRecord, event: { readonly uid: string }): boolean {
  return record.claim?.uid !== event.uid
}

const reasonsNotToClaim: readonly Refusal[] = [
  'held-by-another',
  'run-in-progress',
  'quarantined',
  'in-maintenance',
  'not-taken-in',
  'leave-pending',
  'backing-off',
  'not-available',
]

export const claimedRules: readonly Rule<Claimed>[] = [
  keep((record, event) => record.claim?.uid === event.claim.uid),
  ...reasonsNotToClaim.map((reason) =>
    refuse<Claimed>(reason, (record, _event, nowMs) => claimRefusal(record, nowMs) === reason),
  ),
  move({
    label: '',
    from: ['Available'],
    to: 'Claimed',
    when: always,
    change: (record, { claim, providerID }, nowMs) => ({
      claim,
      cluster: claim.cluster,
      fence: nextFence(record.fence, nowMs),
      providerID,
      nodeName: undefined,
      reason: undefined,
      message: undefined,
    }),
  }),
]

export const releasedRules: readonly Rule<Released>[] = [
  keep(isUnclaimed),
  refuse('claim-changed', isOfAnotherClaim),
  refuse('run-in-progress', isRunning),
  ...rest<Released>({
    label: '',
    from: claimedStates,
    when: always,
    isUnhealthy: (record, { isClean }) =>
      !isClean || record.leavePending || record.claim?.failure?.blamesHost === true,
    clean: 'Available',
    change: (record, event, nowMs) => ({ ...unclaimed, ...explainRelease(record, event, nowMs) }),
  }),
]

/** What a host loses with its claim. Pins, install marker, leave recipe and uncollected tokens stay. */
export const unclaimed = { claim: undefined, providerID: undefined, nodeName: undefined } as const

function explainRelease(record: HostRecord, event: Released, nowMs: number): Partial<HostRecord> {
  if (record.claim?.failure === undefined && event.isClean && !record.leavePending) return {}
  const cause = causeOfRelease(record, event)
  const failures =
    record.failures === undefined ? hostFailed(record, cause, nowMs) : rearmed(record.failures, nowMs)
  return { ...cause, failures }
}

function causeOfRelease({ claim, failures }: HostRecord, event: Released): FailureCause {
  if (event.reason !== undefined) return { reason: event.reason, message: event.message ?? '' }
  if (claim?.failure !== undefined) return { reason: claim.failure.reason, message: claim.failure.message }
  if (failures !== undefined) return { reason: failures.lastReason, message: failures.lastMessage }
  return { reason: 'ReleasedUnclean', message: 'the claim ended before a leave succeeded' }
}

export const nodeMatchedRules: readonly Rule<NodeMatched>[] = [
  refuse('no-claim', isUnclaimed),
  refuse('claim-changed', isOfAnotherClaim),
  keep(
    (record, event) =>
      record.providerID === event.providerID &&
      record.nodeName === event.nodeName &&
      (record.state === 'InUse' || record.claim?.joinedAtMs === undefined),
  ),
  move({
    label: 'joined',
    from: claimedStates,
    to: 'InUse',
    when: (record) => record.claim?.joinedAtMs !== undefined,
    change: noteNode,
  }),
  move({ label: 'join still runs', from: claimedStates, to: 'same', when: always, change: noteNode }),
]

function noteNode(_record: HostRecord, { providerID, nodeName }: NodeMatched): Partial<HostRecord> {
  return { providerID, nodeName }
}

export const claimFailedRules: readonly Rule<ClaimFailed>[] = [
  refuse('no-claim', isUnclaimed),
  refuse('claim-changed', isOfAnotherClaim),
  keep(({ claim }) => claim?.failure !== undefined),
  move({
    label: '',
    from: claimedStates,
    to: 'same',
    when: always,
    change: (record, { reason, message }, nowMs) => ({
      claim: record.claim && {
        ...record.claim,
        failure: { phase: 'join', reason, message, blamesHost: true },
      },
      failures: hostFailed(record, { reason, message }, nowMs),
    }),
  }),
]

export const tokenRecordedRules: readonly Rule<TokenRecorded>[] = [
  refuse('no-claim', isUnclaimed),
  refuse('claim-changed', isOfAnotherClaim),
  keep((record, { tokenID }) => record.tokenIDs.includes(tokenID)),
  move({
    label: '',
    from: claimedStates,
    to: 'same',
    when: always,
    change: (record, { tokenID }) => ({ tokenIDs: [...record.tokenIDs, tokenID] }),
  }),
]

export const tokenCollectedRules: readonly Rule<TokenCollected>[] = [
  keep((record, { tokenID }) => !record.tokenIDs.includes(tokenID)),
  move({
    label: '',
    from: everyState,
    to: 'same',
    when: always,
    change: (record, { tokenID }) => ({ tokenIDs: record.tokenIDs.filter((id) => id !== tokenID) }),
  }),
]
