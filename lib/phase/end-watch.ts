// The ways out of watching a run: its end is recorded, or a message goes on. Each gives up what this delivery held before it
// lets the next one begin.
import type { RunResult } from '../hosts/host-event.ts'
import { retryDelayMs, watchedUntilMs } from './budgets.ts'
import type { Cause, RunStep } from './decide-report.ts'
import { finishRun } from './finish-run.ts'
import { lookAtAgent } from './look-at-agent.ts'
import type { Activity } from './phase-deps.ts'
import { dropped, type PhaseOutcome } from './phase-outcome.ts'
import { requestAgain } from './request-again.ts'
import { collectTokens, settle } from './run-follow-ups.ts'
import { giveLeaseBack } from './run-lease.ts'
import type { WatchedRun } from './watched-run.ts'

export async function conclude(
  activity: Activity,
  { run }: WatchedRun,
  result: RunResult,
): Promise<PhaseOutcome> {
  const record = await finishRun(activity, run, result)
  return record === undefined ? dropped('AnotherRun') : settle(activity, record)
}

/** This invocation ends before the run does. */
export async function handOver(activity: Activity, { run }: WatchedRun): Promise<PhaseOutcome> {
  await giveLeaseBack(activity, run)
  await requestAgain(activity, {
    runId: run.id,
    reason: 'Watch',
    attempt: 1,
    delayMs: 1000,
    deadlineAtMs: Math.max(activity.message.deadlineAtMs, watchedUntilMs(run)),
  })
  return { kind: 'watching', facts: { runId: run.id, fence: run.fence } }
}

const longestAttachDelayAttempt = 4

export async function attachLater(
  activity: Activity,
  { run }: WatchedRun,
  cause: Cause,
): Promise<PhaseOutcome> {
  const { message, deps } = activity
  await giveLeaseBack(activity, run)
  await requestAgain(activity, {
    runId: run.id,
    reason: cause.reason,
    // The deadline bounds how often a run is attached to. The count only stretches the delay, and stops well before a throttled
    // call or two would send the message of a run that goes on to the dead-letter queue.
    attempt: Math.min(message.attempt + 1, longestAttachDelayAttempt),
    delayMs: retryDelayMs(message.attempt, deps.random),
    deadlineAtMs: Math.max(message.deadlineAtMs, watchedUntilMs(run)),
  })
  return { kind: 'retry-later', reason: cause.reason, facts: { runId: run.id, cause: cause.message } }
}

type Withdraw = Omit<Extract<RunStep, { kind: 'withdraw' }>, 'kind'>

/** As if the run had not been started; the phase is tried anew. */
export async function withdraw(
  activity: Activity,
  { run }: WatchedRun,
  { attempt, pace, reason, message }: Withdraw,
): Promise<PhaseOutcome> {
  const record = await finishRun(activity, run, { kind: 'withdrawn', reason, message })
  if (record === undefined) return dropped('AnotherRun')
  // Before anybody tries again: a table that fell behind its host takes over the host's fence.
  if (reason === 'FenceStale') await lookAtAgent(activity, record)
  if (run.phase === 'join') await collectTokens(activity, record)
  await requestAgain(activity, { reason, attempt, delayMs: retryDelayMs(pace, activity.deps.random) })
  return { kind: 'retry-later', reason, facts: { runId: run.id, attempt, cause: message } }
}
