// What a look at a host changes. A probe in flight while a claim or a run came only notes what it saw. A host is a zombie if
// and only if nobody claims it, nothing runs on it, its agent is active or activating, and it is ours: the table or the host
// itself knows our installation. An agent that runs on any other host is foreign: parked and reported, never touched.
import { isBackingOff } from './failures.ts'
import { fenceSeen } from './fence.ts'
import type { HostRecord } from './host-record.ts'
import { isClaimed, isRunning } from './claim-rules.ts'
import { isInMaintenance, isQuarantined } from './resting.ts'
import { always, keep, move, refuse, type Guard, type HostEventOf, type Rule } from './transition-rule.ts'

type Probed = HostEventOf<'probed'>
type ProbeFailed = HostEventOf<'probe-failed'>
type ZombieFound = HostEventOf<'zombie-found'>

/** Beyond this, TLS and tokens on the host stop to be valid. */
export const clockSkewLimitMs = 60_000

export function isAgentAlive(agent: HostRecord['agent']): boolean {
  return agent === 'active' || agent === 'activating'
}

/** Whether the table or the host itself knows that our installation was here. */
export function isOurs(record: HostRecord): boolean {
  return record.installed !== undefined || record.leavePending || record.isOursOnHost === true
}

/** If and only if: no claim, no run, the agent alive when last seen, and ours. */
export function isZombie(record: HostRecord): boolean {
  return !isClaimed(record) && !isRunning(record) && isAgentAlive(record.agent) && isOurs(record)
}

/**
 * A leave that is owed is owed, whatever a look says. Only that a rebuilt record owes one is a guess, until the first look: where
 * no marker and no recipe is known, nothing of ours is on the host and its agent is down, there never was anything to leave.
 */
function owesLeave(record: HostRecord, { facts }: Probed): boolean {
  const { leavePending, takenIn, installed, leaveRecipe } = record
  const isGuess = !takenIn && installed === undefined && leaveRecipe === undefined
  const isRefuted = isGuess && !facts.isOursOnHost && !isAgentAlive(facts.agent)
  return leavePending && !isRefuted
}

interface Finding {
  readonly label: string
  readonly when: Guard<Probed>
  readonly reason: string
  readonly message: (event: Probed) => string
}

const findings: readonly Finding[] = [
  {
    label: 'zombie agent',
    when: (record, { facts }) =>
      isAgentAlive(facts.agent) && isOurs({ ...record, isOursOnHost: facts.isOursOnHost }),
    reason: 'ZombieAgent',
    message: ({ facts }) =>
      `the agent is ${facts.agent} although no NodeClaim holds the host: a leave follows`,
  },
  {
    label: 'foreign agent',
    when: (_record, { facts }) => isAgentAlive(facts.agent),
    reason: 'ForeignKubelet',
    message: ({ facts }) =>
      `the agent is ${facts.agent} but was not started from here (foreign membership): nothing on the host is touched`,
  },
  {
    label: 'leave owed',
    when: owesLeave,
    reason: 'LeavePending',
    message: () => 'a leave is owed: the host is offered again after one succeeded',
  },
  {
    label: 'no capacity seen',
    when: (_record, { facts }) => !(facts.capacity.cpu > 0 && facts.capacity.memoryBytes > 0),
    reason: 'ProbeIncomplete',
    message: ({ facts }) =>
      `the probe saw ${facts.capacity.cpu} CPUs and ${facts.capacity.memoryBytes} bytes of memory, both must be above zero`,
  },
  {
    label: 'clock off',
    when: (_record, { facts }) => Math.abs(facts.clockSkewMs) > clockSkewLimitMs,
    reason: 'ClockSkew',
    message: ({ facts }) =>
      `the clock of the host is off by ${Math.round(facts.clockSkewMs / 1000)} s, at most ${clockSkewLimitMs / 1000} s are allowed`,
  },
]

/** States that a look at the host does not decide. */
const settledStates = ['Claimed', 'InUse', 'Maintenance'] as const
/** States that it does. */
const openStates = ['Pending', 'Available', 'Unhealthy'] as const

export const probedRules: readonly Rule<Probed>[] = [
  move({ label: 'held', from: [...settledStates, 'Leaving'], to: 'same', when: always, change: note }),
  move({ label: 'quarantined', from: ['Unhealthy'], to: 'same', when: isQuarantined, change: note }),
  ...findings.map(({ label, when, reason, message }) =>
    move<Probed>({
      label,
      from: openStates,
      to: 'Unhealthy',
      when,
      change: (...at) => ({ ...note(...at), reason, message: message(at[1]) }),
    }),
  ),
  move({
    label: 'backing off',
    from: openStates,
    to: 'Unhealthy',
    when: (record, _event, nowMs) => isBackingOff(record, nowMs) && (record.failures?.count ?? 0) > 0,
    change: (record, event, nowMs) => ({
      ...note(record, event, nowMs),
      reason: record.failures?.lastReason,
      message: record.failures?.lastMessage,
    }),
  }),
  move({
    label: 'clean',
    from: openStates,
    to: 'Available',
    when: always,
    change: (...at) => ({ ...note(...at), reason: undefined, message: undefined }),
  }),
]

function note(record: HostRecord, event: Probed, nowMs: number): Partial<HostRecord> {
  const { facts } = event
  return {
    capacity: facts.capacity,
    arch: facts.arch,
    agent: facts.agent,
    isOursOnHost: facts.isOursOnHost,
    bootID: facts.bootID,
    clockSkewMs: facts.clockSkewMs,
    envelope: facts.envelope,
    fence: facts.isOursOnHost ? fenceSeen(record, facts.hostFence, nowMs) : record.fence,
    probedAtMs: nowMs,
    probeError: undefined,
    takenIn: true,
    leavePending: owesLeave(record, event),
  }
}

export const probeFailedRules: readonly Rule<ProbeFailed>[] = [
  move({ label: 'held', from: settledStates, to: 'same', when: always, change: noteFailure }),
  move({ label: 'leave runs', from: ['Leaving'], to: 'same', when: isRunning, change: noteFailure }),
  move({ label: 'quarantined', from: ['Unhealthy'], to: 'same', when: isQuarantined, change: noteFailure }),
  move({
    label: '',
    from: [...openStates, 'Leaving'],
    to: 'Unhealthy',
    when: always,
    change: (record, event, nowMs) => ({
      ...noteFailure(record, event, nowMs),
      reason: event.reason,
      message: event.message,
    }),
  }),
]

function noteFailure(
  _record: HostRecord,
  { reason, message }: ProbeFailed,
  nowMs: number,
): Partial<HostRecord> {
  return { probedAtMs: nowMs, probeError: `${reason}: ${message}` }
}

export const zombieFoundRules: readonly Rule<ZombieFound>[] = [
  refuse('held-by-another', isClaimed),
  refuse('run-in-progress', isRunning),
  refuse('quarantined', isQuarantined),
  refuse('in-maintenance', isInMaintenance),
  refuse('not-taken-in', (record) => !record.takenIn),
  refuse('not-applicable', (record) => !isZombie(record)),
  keep((record) => record.state === 'Leaving' && record.leavePending),
  refuse('backing-off', (record, _event, nowMs) => record.leavePending && isBackingOff(record, nowMs)),
  move({
    label: '',
    from: ['Pending', 'Unhealthy'],
    to: 'Leaving',
    when: always,
    change: (record) => ({
      leavePending: true,
      leaveAttempts: record.leavePending ? record.leaveAttempts : 0,
      reason: 'ZombieAgent',
      message: 'the agent runs although no NodeClaim holds the host',
    }),
  }),
]
