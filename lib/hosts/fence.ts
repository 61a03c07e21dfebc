import type { HostRecord } from './host-record.ts'

// A host whose clock or records are wrong must not drag our fence into the far future, where no other table could follow.
const plausibleAheadSeconds = 24 * 60 * 60

/** Raised before anything is done to a host: above every fence given out, and never below the time in seconds. */
export function nextFence(fence: number, nowMs: number): number {
  return Math.max(fence + 1, Math.floor(nowMs / 1000))
}

/** The fence after the host told the highest it has seen from us; a lost table catches up with its hosts this way. */
export function fenceSeen(record: HostRecord, hostFence: number, nowMs: number): number {
  const isPlausible = hostFence <= Math.floor(nowMs / 1000) + plausibleAheadSeconds
  return isPlausible ? Math.max(record.fence, hostFence) : record.fence
}
