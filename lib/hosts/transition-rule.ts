// The form of one row of the state machine. Rows of an event are asked in order; the first whose guard holds decides.
// A row that moves names the states it may leave and the one state it leads to, so that the rows draw the diagram.
import type { HostEvent, HostEventKind } from './host-event.ts'
import type { HostRecord, HostState } from './host-record.ts'

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

type EventsByKind = { [E in HostEvent as E['kind']]: E }
export type HostEventOf<K extends HostEventKind> = {
  [P in K]: EventsByKind[P] & { readonly kind: P }
}[K]

export type Guard<E> = (record: HostRecord, event: E, nowMs: number) => boolean
export type Change<E> = (record: HostRecord, event: E, nowMs: number) => Partial<HostRecord>

export interface Move<E> {
  readonly kind: 'move'
  /** What the arrow says after the event's name; empty when the event alone says it. */
  readonly label: string
  readonly from: readonly HostState[]
  readonly to: HostState | 'same'
  readonly when: Guard<E>
  readonly change: Change<E>
}

export type Rule<E> =
  | Move<E>
  | { readonly kind: 'refuse'; readonly when: Guard<E>; readonly reason: Refusal }
  | { readonly kind: 'keep'; readonly when: Guard<E> }

export function refuse<E>(reason: Refusal, when: Guard<E>): Rule<E> {
  return { kind: 'refuse', when, reason }
}

export function keep<E>(when: Guard<E>): Rule<E> {
  return { kind: 'keep', when }
}

export function move<E>(row: Omit<Move<E>, 'kind'>): Rule<E> {
  return { kind: 'move', ...row }
}

export function always(): boolean {
  return true
}

export function both<E>(first: Guard<E>, second: Guard<E>): Guard<E> {
  return (record, event, nowMs) => first(record, event, nowMs) && second(record, event, nowMs)
}

export const claimedStates: readonly HostState[] = ['Claimed', 'InUse']
export const unclaimedStates: readonly HostState[] = [
  'Pending',
  'Available',
  'Unhealthy',
  'Leaving',
  'Maintenance',
]
export const everyState: readonly HostState[] = [...claimedStates, ...unclaimedStates]
