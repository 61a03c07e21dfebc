import type { Run } from './host-record.ts'

/** How far the clocks of two invocations may be apart. */
export const leaseSkewMs = 2_000

/** The one comparison of a run lease with the time. An expired lease lets others watch or collect the run, never start one. */
export function isLeaseExpired(run: Run, nowMs: number): boolean {
  return nowMs >= run.leaseUntilMs + leaseSkewMs
}

/** Whether `holder` may watch the run now: its lease is its own, or expired. */
export function isLeaseFree(run: Run, holder: string, nowMs: number): boolean {
  return run.holder === holder || isLeaseExpired(run, nowMs)
}
