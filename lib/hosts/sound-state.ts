// What the other fields of a record imply about its state. A record that contradicts itself (Claimed without a claim, Leaving
// with nothing owed) is nobody's intention and would have no way out, so every event is applied to the repaired record. The
// rows of the state machine may rely on this:
//   claim                          Claimed, InUse once joined with its providerID known
//   no claim, run                  Leaving
//   no claim, quarantine           Unhealthy
//   no claim, maintenance          Maintenance
//   no claim, leave owed           any but Available
//   no claim, not taken in         any but Available
import { unclaimed } from './claim-rules.ts'
import type { HostRecord, HostState } from './host-record.ts'

export function withSoundState(record: HostRecord): HostRecord {
  const state = soundState(record)
  if (state === record.state) return record
  if (record.claim !== undefined) return { ...record, state }
  return { ...record, ...unclaimed, ...record.quarantine, state }
}

function soundState(record: HostRecord): HostState {
  if (record.claim !== undefined) return soundClaimedState(record)
  if (record.run !== undefined) return 'Leaving'
  if (record.quarantine !== undefined) return 'Unhealthy'
  if (record.maintenance) return 'Maintenance'
  return isUnfounded(record) ? 'Pending' : record.state
}

/** One that joined without its providerID is Claimed until its Node is found. */
function soundClaimedState({ state, claim }: HostRecord): HostState {
  if (claim?.joinedAtMs === undefined) return 'Claimed'
  return state === 'Claimed' ? 'Claimed' : 'InUse'
}

function isUnfounded({ state, leavePending, takenIn }: HostRecord): boolean {
  switch (state) {
    case 'Claimed':
    case 'InUse':
    case 'Maintenance':
      return true
    case 'Leaving':
      return !leavePending
    case 'Available':
      return leavePending || !takenIn
    case 'Pending':
    case 'Unhealthy':
      return false
  }
}
