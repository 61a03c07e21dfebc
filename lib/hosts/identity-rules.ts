// Which machine answers behind an address. Only a changed host key quarantines, and only an operator who vouches for the
// machine lifts it.
import { isDeepStrictEqual } from 'node:util'
import { isClaimed, isRunning } from './claim-rules.ts'
import type { HostKeyPin, HostRecord } from './host-record.ts'
import { isInMaintenance, isQuarantined } from './resting.ts'
import {
  always,
  claimedStates,
  everyState,
  keep,
  move,
  refuse,
  unclaimedStates,
  type Change,
  type HostEventOf,
  type Rule,
} from './transition-rule.ts'

type HostKeysLearned = HostEventOf<'host-keys-learned'>
type Quarantined = HostEventOf<'quarantined'>
type Repinned = HostEventOf<'repinned'>

export const hostKeysLearnedRules: readonly Rule<HostKeysLearned>[] = [
  refuse('quarantined', isQuarantined),
  refuse('not-applicable', (record, { pins }) => pins.some((pin) => contradicts(record.hostKeys, pin))),
  keep((record, { pins }) => isDeepStrictEqual(withPins(record.hostKeys, pins), record.hostKeys)),
  move({
    label: '',
    from: everyState,
    to: 'same',
    when: always,
    change: (record, { pins }) => ({ hostKeys: withPins(record.hostKeys, pins) }),
  }),
]

/** A pinned type with another key is a changed host key, which is never learned over. */
function contradicts(known: readonly HostKeyPin[], { type, fingerprint }: HostKeyPin): boolean {
  return known.some((pin) => type !== undefined && pin.type === type && pin.fingerprint !== fingerprint)
}

/** A key whose type is now known replaces its bare fingerprint. */
function withPins(known: readonly HostKeyPin[], pins: readonly HostKeyPin[]): HostKeyPin[] {
  let merged = [...known]
  for (const pin of pins) {
    const same = merged.find(({ fingerprint }) => fingerprint === pin.fingerprint)
    if (same === undefined) merged.push(pin)
    else if (same.type === undefined) merged = merged.map((other) => (other === same ? pin : other))
  }
  return merged
}

const quarantine: Change<Quarantined> = (_record, { reason, message }) => ({
  quarantine: { reason, message },
})

export const quarantinedRules: readonly Rule<Quarantined>[] = [
  keep((record, { reason }) => record.quarantine?.reason === reason),
  move({ label: 'while claimed', from: claimedStates, to: 'same', when: always, change: quarantine }),
  move({ label: 'while a run goes on', from: ['Leaving'], to: 'same', when: isRunning, change: quarantine }),
  move({
    label: '',
    from: unclaimedStates,
    to: 'Unhealthy',
    when: always,
    change: (record, event, nowMs) => ({
      ...quarantine(record, event, nowMs),
      reason: event.reason,
      message: event.message,
    }),
  }),
]

export const repinnedRules: readonly Rule<Repinned>[] = [
  refuse('held-by-another', isClaimed),
  refuse('run-in-progress', isRunning),
  move({
    label: 'in maintenance',
    from: unclaimedStates,
    to: 'Maintenance',
    when: isInMaintenance,
    change: startAnew,
  }),
  move({ label: '', from: unclaimedStates, to: 'Pending', when: always, change: startAnew }),
]

/** A leave that is owed stays owed: the machine may be the old one with new keys. */
function startAnew(_record: HostRecord, { pins }: Repinned): Partial<HostRecord> {
  return {
    ...forgottenMachine,
    hostKeys: [...pins],
    quarantine: undefined,
    reason: undefined,
    message: undefined,
  }
}

/** Everything that was known of the machine itself. */
export const forgottenMachine = {
  installed: undefined,
  installedVars: undefined,
  capacity: undefined,
  arch: undefined,
  agent: undefined,
  isOursOnHost: undefined,
  bootID: undefined,
  envelope: undefined,
  clockSkewMs: undefined,
  probeError: undefined,
  failures: undefined,
  takenIn: false,
} as const
