// When a message is due. A pure step function: (what is known, what happened, when) => what is known.
//
//   change ──1 s without another, or 10 s after the first──> Changed
//   nothing for 30 s since the last message ───────────────> Heartbeat
//   all resources listed for the first time ───────────────> Started
//
// Nothing is queued: a message that could not be sent is replaced by the state of the next attempt.
import type { ClusterObserved } from '../messages/cluster-observed.ts'

export interface PacingSettings {
  readonly idleMs: number
  readonly longestMs: number
  readonly heartbeatMs: number
  /** Between attempts while the queue cannot be reached: doubled each time up to the heartbeat. */
  readonly retryMs: number
}
export const defaultPacing: PacingSettings = {
  idleMs: 1_000,
  longestMs: 10_000,
  heartbeatMs: 30_000,
  retryMs: 1_000,
}

export interface Pacing {
  /** True while every resource is listed and followed: a partial picture is never sent. */
  readonly isSynced: boolean
  /** Changes that no message told yet. */
  readonly changes: Changes | undefined
  /** Changes that the message on its way tells. */
  readonly inFlight: Changes | undefined
  readonly lastSentAtMs: number | undefined
  readonly failures: number
  readonly notBeforeMs: number
}

interface Changes {
  readonly firstAtMs: number
  readonly lastAtMs: number
}

export type PacingEvent =
  | 'synced'
  | 'unsynced'
  | 'changed'
  /** A snapshot was taken and is being sent. */
  | 'sending'
  | 'sent'
  /** The snapshot turned out to be the one that was sent last. */
  | 'unchanged'
  | 'failed'

export const initialPacing: Pacing = {
  isSynced: false,
  changes: undefined,
  inFlight: undefined,
  lastSentAtMs: undefined,
  failures: 0,
  notBeforeMs: 0,
}

export function stepPacing(
  pacing: Pacing,
  { event, nowMs }: { readonly event: PacingEvent; readonly nowMs: number },
  settings: PacingSettings,
): Pacing {
  switch (event) {
    case 'synced':
      return { ...pacing, isSynced: true }
    case 'unsynced':
      return { ...pacing, isSynced: false }
    case 'changed':
      return { ...pacing, changes: { firstAtMs: pacing.changes?.firstAtMs ?? nowMs, lastAtMs: nowMs } }
    case 'sending':
      return { ...pacing, changes: undefined, inFlight: pacing.changes }
    case 'unchanged':
      return { ...pacing, inFlight: undefined }
    case 'sent':
      return { ...pacing, inFlight: undefined, lastSentAtMs: nowMs, failures: 0, notBeforeMs: 0 }
    case 'failed':
      return failed(pacing, nowMs, settings)
  }
}

function failed(pacing: Pacing, nowMs: number, settings: PacingSettings): Pacing {
  const { inFlight, changes } = pacing
  const untold =
    inFlight === undefined ? changes : { ...inFlight, lastAtMs: changes?.lastAtMs ?? inFlight.lastAtMs }
  const waitMs = Math.min(settings.heartbeatMs, settings.retryMs * 2 ** Math.min(pacing.failures, 16))
  return {
    ...pacing,
    changes: untold,
    inFlight: undefined,
    failures: pacing.failures + 1,
    notBeforeMs: nowMs + waitMs,
  }
}

export interface Due {
  readonly atMs: number
  readonly reason: ClusterObserved['reason']
}

/** The next message, if nothing else happens; undefined while nothing may be sent. */
export function nextDue(pacing: Pacing, settings: PacingSettings): Due | undefined {
  if (!pacing.isSynced) return undefined
  if (pacing.lastSentAtMs === undefined) return { atMs: pacing.notBeforeMs, reason: 'Started' }
  const heartbeatAtMs = pacing.lastSentAtMs + settings.heartbeatMs
  const changedAtMs = batchEndsAtMs(pacing.changes, settings)
  const isChange = changedAtMs <= heartbeatAtMs
  return {
    atMs: Math.max(pacing.notBeforeMs, isChange ? changedAtMs : heartbeatAtMs),
    reason: isChange ? 'Changed' : 'Heartbeat',
  }
}

function batchEndsAtMs(changes: Changes | undefined, settings: PacingSettings): number {
  if (changes === undefined) return Number.POSITIVE_INFINITY
  return Math.min(changes.lastAtMs + settings.idleMs, changes.firstAtMs + settings.longestMs)
}
