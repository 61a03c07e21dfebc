import type { HostRecord } from './host-record.ts'
import { unclaimed } from './claim-rules.ts'

/**
 * A record that says Claimed or InUse without naming a claim, or names a claim in another state, is nobody's intention and
 * would have no way out. It is repaired before any event is applied; a host without a claim is looked at by a probe next.
 */
export function repairClaim(record: HostRecord): HostRecord {
  const saysClaimed = record.state === 'Claimed' || record.state === 'InUse'
  if (saysClaimed === (record.claim !== undefined)) return record
  if (saysClaimed) return { ...record, ...unclaimed, state: 'Pending' }
  return { ...record, state: record.claim?.joinedAtMs === undefined ? 'Claimed' : 'InUse' }
}
