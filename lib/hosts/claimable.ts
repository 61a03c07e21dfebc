// A host can be claimed if and only if it is Available, taken in, and nothing is owed, held, running or waited for.
import { isBackingOff } from './failures.ts'
import type { HostRecord } from './host-record.ts'
import type { Refusal } from './transition-rule.ts'

/** Why nobody may claim the host now; undefined when somebody may. */
export function claimRefusal(record: HostRecord, nowMs: number): Refusal | undefined {
  return ownershipRefusal(record) ?? offerRefusal(record, nowMs)
}

export function isClaimable(record: HostRecord, nowMs: number): boolean {
  return claimRefusal(record, nowMs) === undefined
}

function ownershipRefusal(record: HostRecord): Refusal | undefined {
  if (record.claim !== undefined) return 'held-by-another'
  if (record.run !== undefined) return 'run-in-progress'
  return undefined
}

function offerRefusal(record: HostRecord, nowMs: number): Refusal | undefined {
  if (record.quarantine !== undefined) return 'quarantined'
  if (record.maintenance) return 'in-maintenance'
  if (!record.takenIn) return 'not-taken-in'
  if (record.leavePending) return 'leave-pending'
  if (isBackingOff(record, nowMs)) return 'backing-off'
  return record.state === 'Available' ? undefined : 'not-available'
}
