// The steps of a release by hand, each a conditional write of its own: whoever changes the host in between wins, and is told.
import { makeUuids } from '../adapters/node/random.ts'
import { SpecError } from '../errors/spec-error.ts'
import { TransientError } from '../errors/transient-error.ts'
import type { HostEvent } from '../hosts/host-event.ts'
import { hostKeyText, type HostKey, type HostRecord } from '../hosts/host-record.ts'
import type { Refusal } from '../hosts/transitions.ts'
import type { HostTable } from './host-table.ts'

export interface ReleaseWish {
  /** Do not wait for a run that is going. */
  readonly isForced: boolean
  /** The operator has left the host by hand: none is owed any more. */
  readonly isLeft: boolean
}

type Change = (event: HostEvent) => Promise<HostRecord>

const byHand = { reason: 'ReleasedByHand', message: 'an operator released the host with kpssh host release' }

/** Resolves to the record afterwards. Throws SpecError, TransientError. */
export async function releaseHost(
  table: HostTable,
  before: HostRecord,
  wish: ReleaseWish,
): Promise<HostRecord> {
  requireReleasable(before, wish)
  const change = changing(table, before.key)
  let record = before
  if (record.run !== undefined) {
    record = await change({
      kind: 'run-finished',
      runId: record.run.id,
      result: { kind: 'indeterminate', ...byHand },
    })
  }
  if (wish.isLeft && record.leavePending) record = await noteLeave(change, record, table.clock.nowMs())
  if (record.claim === undefined) return record
  return change({ kind: 'released', uid: record.claim.uid, isClean: !record.leavePending, ...byHand })
}

function requireReleasable(
  { key, state, claim, run, leavePending }: HostRecord,
  { isForced, isLeft }: ReleaseWish,
): void {
  const host = hostKeyText(key)
  if (run !== undefined && !isForced) {
    throw new SpecError(
      `Cannot release "${host}": ${run.phase} is going (run ${run.id}), wait until it ended or add --force`,
      { reason: 'RunInProgress' },
    )
  }
  if (claim !== undefined || (isLeft && leavePending)) return
  const owed = leavePending ? ' but owes a leave, which the guard repeats (--left says that you did it)' : ''
  throw new SpecError(
    `Cannot release "${host}": it is ${state} and nobody claims it${owed}, nothing is to be done`,
    {
      reason: 'NotClaimed',
    },
  )
}

/** A leave that succeeded, as any other; only that a person carried it out. */
async function noteLeave(
  change: Change,
  { claim, leaveAttempts }: HostRecord,
  nowMs: number,
): Promise<HostRecord> {
  const id = `by-hand-${makeUuids().next()}`.slice(0, 40)
  await change({
    kind: 'run-started',
    claimUid: claim?.uid,
    run: {
      id,
      phase: 'leave',
      attempt: leaveAttempts + 1,
      startedAtMs: nowMs,
      timeoutMs: 0,
      leaseUntilMs: nowMs,
      holder: 'kpssh host release',
    },
  })
  return change({ kind: 'run-finished', runId: id, result: { kind: 'succeeded' } })
}

function changing({ changeHost, clock }: HostTable, key: HostKey): Change {
  return async (event) => {
    const outcome = await changeHost(key, event, clock.nowMs())
    if (outcome.kind !== 'refused') return outcome.record
    throw refused(key, outcome.reason)
  }
}

function refused(key: HostKey, refusal: Refusal): Error {
  const host = hostKeyText(key)
  if (refusal === 'quarantined') {
    return new SpecError(`Cannot release "${host}": it is quarantined, kpssh host repin lifts that`, {
      reason: 'HostQuarantined',
    })
  }
  return new TransientError(
    `Cannot release "${host}": it changed meanwhile (${refusal}), look at it with kpssh host show and try again`,
    { reason: 'HostContended' },
  )
}
