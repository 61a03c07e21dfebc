// What the end of a run leads to. Only what certainly never started leaves nothing behind: after any other join, leave runs
// before the claim is given up, and after any other end than success of a leave, the leave is still owed.
import { unclaimed } from './claim-rules.ts'
import { hostFailed, leaveFailed, specFailed, type FailureCause } from './failures.ts'
import type { HostRecord } from './host-record.ts'
import type { RunPhaseName } from './phase-name.ts'
import { rest } from './resting.ts'
import {
  always,
  both,
  claimedStates,
  everyState,
  keep,
  move,
  refuse,
  type Guard,
  type HostEventOf,
  type Rule,
} from './transition-rule.ts'

type RunFinished = HostEventOf<'run-finished'>
type Result = RunFinished['result']

function ended(phase: RunPhaseName, ...kinds: readonly Result['kind'][]): Guard<RunFinished> {
  return (record, { result }) => record.run?.phase === phase && kinds.includes(result.kind)
}

function isClaimKept(record: HostRecord): boolean {
  return record.run?.phase === 'install' ? record.leavePending : record.run?.wasLeavePending === true
}

function isClaimFreed(record: HostRecord): boolean {
  return !isClaimKept(record)
}

function isAdopted(record: HostRecord): boolean {
  return record.providerID !== undefined
}

function isClaimed(record: HostRecord): boolean {
  return record.claim !== undefined
}

const notSucceeded = ['failed', 'indeterminate', 'not-started'] as const
const hasRun = ['failed', 'indeterminate'] as const

const installRules: readonly Rule<RunFinished>[] = [
  move({
    label: 'install succeeded',
    from: ['Claimed'],
    to: 'same',
    when: ended('install', 'succeeded'),
    change: (record, event, nowMs) => ({
      ...endRun(record, event, nowMs),
      installed: event.installed?.marker ?? record.installed,
      installedVars: event.installed?.vars,
    }),
  }),
  move({
    label: 'install failed, leave owed',
    from: ['Claimed'],
    to: 'same',
    when: both(ended('install', ...notSucceeded), isClaimKept),
    change: failClaim,
  }),
  ...rest<RunFinished>({
    label: 'install failed',
    from: ['Claimed'],
    when: both(ended('install', ...notSucceeded), isClaimFreed),
    isUnhealthy: isHostToBlame,
    clean: 'Available',
    change: (...at) => ({ ...failClaim(...at), ...explain(at[1]), ...unclaimed }),
  }),
]

const joinRules: readonly Rule<RunFinished>[] = [
  move({
    label: 'join succeeded, providerID known',
    from: ['Claimed'],
    to: 'InUse',
    when: both(ended('join', 'succeeded'), isAdopted),
    change: succeedJoin,
  }),
  move({
    label: 'join succeeded',
    from: ['Claimed'],
    to: 'same',
    when: ended('join', 'succeeded'),
    change: succeedJoin,
  }),
  move({
    label: 'join failed',
    from: ['Claimed'],
    to: 'same',
    when: ended('join', ...hasRun),
    change: failClaim,
  }),
  move({
    label: 'join not started, leave owed',
    from: ['Claimed'],
    to: 'same',
    when: both(ended('join', 'not-started'), isClaimKept),
    change: failClaim,
  }),
  ...rest<RunFinished>({
    label: 'join not started',
    from: ['Claimed'],
    when: both(ended('join', 'not-started'), isClaimFreed),
    isUnhealthy: isHostToBlame,
    clean: 'Available',
    change: (...at) => ({ ...failClaim(...at), ...explain(at[1]), ...unclaimed, leavePending: false }),
  }),
]

const leaveRules: readonly Rule<RunFinished>[] = [
  move({
    label: 'leave succeeded',
    from: claimedStates,
    to: 'same',
    when: both(ended('leave', 'succeeded'), isClaimed),
    change: (record, event, nowMs) => ({
      ...succeedLeave(record, event, nowMs),
      claim: record.claim && { ...record.claim, leftAtMs: nowMs },
    }),
  }),
  ...rest<RunFinished>({
    label: 'leave succeeded',
    from: ['Leaving'],
    when: ended('leave', 'succeeded'),
    clean: 'Pending',
    change: succeedLeave,
  }),
  move({
    label: 'leave failed',
    from: claimedStates,
    to: 'same',
    when: both(ended('leave', ...notSucceeded), isClaimed),
    change: failLeave,
  }),
  ...rest<RunFinished>({
    label: 'leave failed',
    from: ['Leaving'],
    when: ended('leave', ...notSucceeded),
    isUnhealthy: always,
    change: (...at) => ({ ...failLeave(...at), ...explain(at[1]) }),
  }),
]

export const runFinishedRules: readonly Rule<RunFinished>[] = [
  keep((record, { runId }) => record.run?.id !== runId && record.lastRun?.id === runId),
  refuse('no-such-run', (record, { runId }) => record.run?.id !== runId),
  refuse('lease-valid', ({ run }, { holder }) => holder !== undefined && run?.holder !== holder),
  move({
    label: 'withdrawn',
    from: everyState,
    to: 'same',
    when: (_record, { result }) => result.kind === 'withdrawn',
    change: (record, event, nowMs) => ({ ...endRun(record, event, nowMs), ...asBeforeJoin(record) }),
  }),
  ...installRules,
  ...joinRules,
  ...leaveRules,
]

/** Only the start of a join makes a leave owed; one that left nothing behind takes that back. */
function asBeforeJoin({ run, leavePending }: HostRecord): Partial<HostRecord> {
  return { leavePending: run?.phase === 'join' ? run.wasLeavePending === true : leavePending }
}

function isHostToBlame(_record: HostRecord, { result }: RunFinished): boolean {
  return result.kind !== 'not-started' || result.blamesHost
}

function causeOf(result: Result): FailureCause {
  return result.kind === 'succeeded'
    ? { reason: 'Succeeded', message: '' }
    : { reason: result.reason, message: result.message }
}

function explain({ result }: RunFinished): FailureCause {
  return causeOf(result)
}

function endRun({ run }: HostRecord, { result }: RunFinished, nowMs: number): Partial<HostRecord> {
  return {
    run: undefined,
    lastRun: run && {
      id: run.id,
      phase: run.phase,
      result: result.kind,
      ...(result.kind === 'succeeded' ? {} : { reason: result.reason }),
      endedAtMs: nowMs,
    },
  }
}

function failClaim(record: HostRecord, event: RunFinished, nowMs: number): Partial<HostRecord> {
  const cause = causeOf(event.result)
  const blamesHost = isHostToBlame(record, event)
  return {
    ...endRun(record, event, nowMs),
    claim: record.claim && {
      ...record.claim,
      failure: { phase: record.run?.phase ?? 'join', ...cause, blamesHost },
    },
    failures: (blamesHost ? hostFailed : specFailed)(record, cause, nowMs),
  }
}

function succeedJoin(record: HostRecord, event: RunFinished, nowMs: number): Partial<HostRecord> {
  return {
    ...endRun(record, event, nowMs),
    claim: record.claim && { ...record.claim, joinedAtMs: nowMs },
    failures: undefined,
  }
}

function succeedLeave(record: HostRecord, event: RunFinished, nowMs: number): Partial<HostRecord> {
  return {
    ...endRun(record, event, nowMs),
    leavePending: false,
    leaveAttempts: 0,
    agent: undefined,
    failures: record.failures?.count === 0 ? undefined : record.failures,
  }
}

function failLeave(record: HostRecord, event: RunFinished, nowMs: number): Partial<HostRecord> {
  const attempts = record.leaveAttempts + 1
  const cause = causeOf(event.result)
  const failures = isHostToBlame(record, event)
    ? leaveFailed(record, cause, { attempts, nowMs })
    : specFailed(record, cause, nowMs)
  return { ...endRun(record, event, nowMs), leaveAttempts: attempts, failures }
}
