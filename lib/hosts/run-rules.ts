// The start and the watching of a run. A start is written before SSH and raises the fence, so that of two invocations that
// both mean to start something, only the one whose write won reaches the host.
import { isClaimed, isRunning, isUnclaimed } from './claim-rules.ts'
import { nextFence } from './fence.ts'
import type { HostRecord } from './host-record.ts'
import { isLeaseFree } from './lease.ts'
import { isQuarantined } from './resting.ts'
import {
  always,
  claimedStates,
  everyState,
  keep,
  move,
  refuse,
  type HostEventOf,
  type Rule,
} from './transition-rule.ts'

type RunStarted = HostEventOf<'run-started'>
type RunWatched = HostEventOf<'run-watched'>

export const runStartedRules: readonly Rule<RunStarted>[] = [
  keep((record, { run }) => record.run?.id === run.id),
  refuse('run-in-progress', isRunning),
  refuse('not-applicable', (record, { run }) => record.lastRun?.id === run.id),
  refuse('quarantined', isQuarantined),
  refuse('no-claim', (record, { claimUid }) => claimUid !== undefined && isUnclaimed(record)),
  refuse('held-by-another', (record, { claimUid }) => claimUid === undefined && isClaimed(record)),
  refuse('claim-changed', (record, { claimUid }) => record.claim?.uid !== claimUid),
  refuse('not-applicable', isPointless),
  move({
    label: 'install',
    from: ['Claimed'],
    to: 'same',
    when: (_record, { run }) => run.phase === 'install',
    // An install that ends anywhere but well has changed the host: whatever the marker says, the next claim installs again.
    change: (record, event, nowMs) => ({ ...start(record, event, nowMs), installedVars: undefined }),
  }),
  move({
    label: 'join',
    from: ['Claimed'],
    to: 'same',
    when: (_record, { run }) => run.phase === 'join',
    change: startJoin,
  }),
  move({ label: 'leave', from: claimedStates, to: 'same', when: isClaimed, change: start }),
  move({
    label: 'leave',
    from: ['Pending', 'Unhealthy', 'Leaving', 'Maintenance'],
    to: 'Leaving',
    when: always,
    change: start,
  }),
]

function isPointless(record: HostRecord, { run, claimUid }: RunStarted): boolean {
  if (claimUid === undefined) return run.phase !== 'leave' || !record.leavePending
  if (run.phase === 'leave') return record.claim?.leftAtMs !== undefined
  return record.claim?.failure !== undefined || record.claim?.joinedAtMs !== undefined || hasLeft(record)
}

function hasLeft(record: HostRecord): boolean {
  return record.claim?.leftAtMs !== undefined
}

function start(record: HostRecord, { run }: RunStarted, nowMs: number): Partial<HostRecord> {
  const fence = nextFence(record.fence, nowMs)
  return { fence, run: { ...run, fence } }
}

function startJoin(record: HostRecord, event: RunStarted, nowMs: number): Partial<HostRecord> {
  const fence = nextFence(record.fence, nowMs)
  return {
    fence,
    run: { ...event.run, fence, ...(record.leavePending ? { wasLeavePending: true } : {}) },
    leavePending: true,
    leaveAttempts: 0,
    leaveRecipe: event.leaveRecipe ?? record.leaveRecipe,
    agent: undefined,
  }
}

export const runWatchedRules: readonly Rule<RunWatched>[] = [
  refuse('no-such-run', (record, { runId }) => record.run?.id !== runId),
  refuse(
    'lease-valid',
    ({ run }, { holder }, nowMs) => run !== undefined && !isLeaseFree(run, holder, nowMs),
  ),
  keep(({ run }, { holder, leaseUntilMs }) => run?.holder === holder && run.leaseUntilMs === leaseUntilMs),
  move({
    label: '',
    from: everyState,
    to: 'same',
    when: always,
    change: ({ run }, { holder, leaseUntilMs }) => ({ run: run && { ...run, holder, leaseUntilMs } }),
  }),
]
