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
  /** Holds when the host is to blame, or cannot be trusted to be clean. */
  readonly isUnhealthy: Guard<E>
  readonly otherwise: 'Available' | 'Pending'
  readonly change: Change<E>
}

export function rest<E>({ label, from, when, isUnhealthy, otherwise, change }: Rest<E>): readonly Rule<E>[] {
  const calm: Change<E> = (...at) => ({ ...change(...at), reason: undefined, message: undefined })
  const quarantined: Change<E> = (...at) => ({ ...change(...at), ...at[0].quarantine })
  const row = (to: HostState, { why, holds, changed = calm }: Corner<E>): Rule<E> => {
    const full = [label, why].filter((part) => part !== '').join(', ')
    return move({ label: full, from, to, when: both(when, holds), change: changed })
  }
  return [
    row('Unhealthy', { why: 'quarantined', holds: isQuarantined, changed: quarantined }),
    row('Maintenance', { why: 'in maintenance', holds: isInMaintenance }),
    row('Unhealthy', { why: 'not clean', holds: isUnhealthy, changed: change }),
    row('Pending', { why: 'not taken in', holds: (record) => !record.takenIn }),
    row(otherwise, { why: 'clean', holds: always }),
  ]
}

interface Corner<E> {
  readonly why: string
  readonly holds: Guard<E>
  readonly changed?: Change<E>
}
