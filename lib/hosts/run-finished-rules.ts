// What the end of a run leads to. Only what certainly never started leaves nothing behind: after any other join, leave runs
// before the claim is given up, and after any other end than success of a leave, the leave is still owed.
import { unclaimed } from './claim-rules.ts'
import type { HostRecord } from './host-record.ts'
import type { RunPhaseName } from './phase-name.ts'
import { rest } from './resting.ts'
import {
  endRun,
  explain,
  failClaim,
  failLeave,
  isHostToBlame,
  succeedJoin,
  succeedLeave,
  withdraw,
  type Result,
  type RunFinished,
} from './run-ends.ts'
import { always, both, claimedStates, keep, move, refuse, type Guard, type Rule } from './transition-rule.ts'

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

const withdrawnRules: readonly Rule<RunFinished>[] = [
  move({ label: 'withdrawn', from: claimedStates, to: 'same', when: isWithdrawn, change: withdraw }),
  ...rest<RunFinished>({ label: 'withdrawn', from: ['Leaving'], when: isWithdrawn, change: withdraw }),
  move({ label: 'withdrawn', from: ['Leaving'], to: 'same', when: isWithdrawn, change: withdraw }),
]

export const runFinishedRules: readonly Rule<RunFinished>[] = [
  keep((record, { runId }) => record.run?.id !== runId && record.lastRun?.id === runId),
  refuse('no-such-run', (record, { runId }) => record.run?.id !== runId),
  refuse('lease-valid', ({ run }, { holder }) => holder !== undefined && run?.holder !== holder),
  ...withdrawnRules,
  ...installRules,
  ...joinRules,
  ...leaveRules,
]

function isWithdrawn(_record: HostRecord, { result }: RunFinished): boolean {
  return result.kind === 'withdrawn'
}
