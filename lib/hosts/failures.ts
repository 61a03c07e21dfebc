// Back-off of a host: after the n-th failure in a row that blames it, 30 s x 2^(n-1), at most 30 min. A failure that blames
// somebody's object instead waits the shortest step and counts nothing. A join that succeeds forgets the count.
import type { HostRecord } from './host-record.ts'

export const firstBackOffMs = 30_000
export const longestBackOffMs = 30 * 60_000

export interface FailureCause {
  readonly reason: string
  readonly message: string
}
export type Failures = NonNullable<HostRecord['failures']>

export function backOffMs(count: number): number {
  return Math.min(longestBackOffMs, firstBackOffMs * 2 ** Math.min(Math.max(count, 1) - 1, 16))
}

export function isBackingOff(record: HostRecord, nowMs: number): boolean {
  return record.failures !== undefined && nowMs < record.failures.notBeforeMs
}

/** A phase failed and the host is to blame. */
export function hostFailed(record: HostRecord, cause: FailureCause, nowMs: number): Failures {
  const count = (record.failures?.count ?? 0) + 1
  return failuresOf(record, cause, { count, notBeforeMs: nowMs + backOffMs(count) })
}

/** A phase could not start because an object is wrong: the host is offered again soon. */
export function specFailed(record: HostRecord, cause: FailureCause, nowMs: number): Failures {
  return failuresOf(record, cause, {
    count: record.failures?.count ?? 0,
    notBeforeMs: nowMs + firstBackOffMs,
  })
}

/** A leave failed: it backs off by its own attempts, so that a hard leave does not make the next join wait. */
export function leaveFailed(
  record: HostRecord,
  cause: FailureCause,
  { attempts, nowMs }: { readonly attempts: number; readonly nowMs: number },
): Failures {
  return failuresOf(record, cause, {
    count: record.failures?.count ?? 0,
    notBeforeMs: nowMs + backOffMs(attempts),
  })
}

/** Starts the back-off anew at the moment the host becomes free, since a leave may have outlasted it. */
export function rearmed(failures: Failures, nowMs: number): Failures {
  return { ...failures, notBeforeMs: Math.max(failures.notBeforeMs, nowMs + backOffMs(failures.count)) }
}

function failuresOf(
  record: HostRecord,
  cause: FailureCause,
  { count, notBeforeMs }: { readonly count: number; readonly notBeforeMs: number },
): Failures {
  const nodeClaimUid = record.claim?.uid ?? record.failures?.nodeClaimUid
  return {
    count,
    lastReason: cause.reason,
    lastMessage: cause.message,
    ...(nodeClaimUid === undefined ? {} : { nodeClaimUid }),
    notBeforeMs: Math.max(record.failures?.notBeforeMs ?? 0, notBeforeMs),
  }
}
