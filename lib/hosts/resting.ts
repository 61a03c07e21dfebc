// Where a host comes to rest when nothing holds it any more, in order of precedence: a quarantine outlives everything, then
// the operator's annotation, then blame, then a table that has not confirmed the host yet.
import type { HostRecord, HostState } from './host-record.ts'
import { always, both, move, type Change, type Guard, type Rule } from './transition-rule.ts'

export function isQuarantined(record: HostRecord): boolean {
  return record.quarantine !== undefined
}

export function isInMaintenance(record: HostRecord): boolean {
  return record.maintenance
}

export interface Rest<E> {
  readonly label: string
  readonly from: readonly HostState[]
  readonly when: Guard<E>
  readonly change: Change<E>
  /** Holds when the host is to blame, or cannot be trusted to be clean. */
  readonly isUnhealthy?: Guard<E>
  /** Where a clean host goes; nowhere when no host can be clean after this. */
  readonly clean?: 'Available' | 'Pending'
}

export function rest<E>(plan: Rest<E>): readonly Rule<E>[] {
  const { change, isUnhealthy, clean } = plan
  const calm: Change<E> = (...at) => ({ ...change(...at), reason: undefined, message: undefined })
  const quarantined: Change<E> = (...at) => ({ ...change(...at), ...at[0].quarantine })
  const row = (to: HostState, corner: Corner<E>): Rule<E> => corneredMove(plan, to, corner)
  return [
    row('Unhealthy', { why: 'quarantined', holds: isQuarantined, change: quarantined }),
    row('Maintenance', { why: 'in maintenance', holds: isInMaintenance, change: calm }),
    ...(isUnhealthy === undefined
      ? []
      : [row('Unhealthy', { why: 'not clean', holds: isUnhealthy, change })]),
    ...(clean === 'Available'
      ? [row('Pending', { why: 'not taken in', holds: isNotTakenIn, change: calm })]
      : []),
    ...(clean === undefined ? [] : [row(clean, { why: 'clean', holds: always, change: calm })]),
  ]
}

interface Corner<E> {
  readonly why: string
  readonly holds: Guard<E>
  readonly change: Change<E>
}

function corneredMove<E>({ label, from, when }: Rest<E>, to: HostState, corner: Corner<E>): Rule<E> {
  const full = [label, corner.why].filter((part) => part !== '').join(', ')
  return move({ label: full, from, to, when: both(when, corner.holds), change: corner.change })
}

function isNotTakenIn(record: HostRecord): boolean {
  return !record.takenIn
}
