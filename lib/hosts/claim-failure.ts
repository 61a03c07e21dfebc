import type { HostRecord } from './host-record.ts'

export interface ClaimFailure {
  readonly reason: string
  readonly message: string
}

/**
 * Why the claim of this NodeClaim cannot succeed any more: while the host is still held, and after it was freed at once because
 * nothing was started on it. undefined while it can still succeed.
 */
export function claimFailureOf(record: HostRecord, uid: string): ClaimFailure | undefined {
  const { claim, failures } = record
  if (claim?.uid === uid) return claim.failure
  if (failures?.nodeClaimUid !== uid) return undefined
  return { reason: failures.lastReason, message: failures.lastMessage }
}
