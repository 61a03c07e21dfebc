// placeholder contract; filled in by the hosts room's author
import type { HostEvent } from './host-event.ts'
import type { HostRecord } from './host-record.ts'

/** Why an event does not apply to a record. Values, not errors: losing a race is normal. */
export type Refusal =
  | 'unknown-host'
  | 'contended'
  | 'not-available'
  | 'held-by-another'
  | 'leave-pending'
  | 'quarantined'
  | 'in-maintenance'
  | 'backing-off'
  | 'not-taken-in'
  | 'run-in-progress'
  | 'no-such-run'
  | 'lease-valid'
  | 'no-claim'
  | 'claim-changed'
  | 'not-applicable'

export type Transition =
  /** The next record; the caller sets version and writeID. */
  | { readonly kind: 'moved'; readonly record: HostRecord }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: Refusal }

export declare function applyHostEvent(record: HostRecord, event: HostEvent, nowMs: number): Transition
