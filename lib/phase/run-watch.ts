// Watches one run to its end, or as long as this invocation may: contact, decide, do, and again. Every way out leaves either a
// recorded end or a message that goes on.
import type { RunReport } from '../execution/ports.ts'
import type { RunResult } from '../hosts/host-event.ts'
import type { HostRecord, Run } from '../hosts/host-record.ts'
import { closingMs, openingMs, retryDelayMs, sliceMs, watchedUntilMs } from './budgets.ts'
import { contactHost, type Contact } from './contact.ts'
import { decideLeft } from './decide-left.ts'
import { decideReport, type Cause, type RunSituation, type RunStep } from './decide-report.ts'
import type { Redact } from './failure-text.ts'
import { finishRun } from './finish-run.ts'
import { learnHostKeys } from './learn-from-contact.ts'
import { lookAtAgent } from './look-at-agent.ts'
import type { Activity } from './phase-deps.ts'
import { dropped, type PhaseOutcome } from './phase-outcome.ts'
import { requestAgain } from './request-again.ts'
import { collectTokens, settle } from './run-follow-ups.ts'
import { giveLeaseBack, takeLease } from './run-lease.ts'
import { sshTargetOf } from './ssh-target.ts'

/** A run of the record that this delivery watches. */
export interface WatchedRun {
  readonly record: HostRecord
  readonly run: Run
  readonly redact: Redact
}

export type Started =
  | { readonly kind: 'contact'; readonly contact: Contact<RunReport>; readonly redact: Redact }
  | { readonly kind: 'over'; readonly outcome: PhaseOutcome }

/** Starts a recorded run that the host has never heard of: by the same id and fence. */
export type StartAgain = (activity: Activity, watched: WatchedRun) => Promise<Started>

type Advance =
  | { readonly kind: 'next'; readonly step: RunStep; readonly watched?: WatchedRun }
  | { readonly kind: 'over'; readonly outcome: PhaseOutcome }

/** Takes over a run that another delivery started. */
export async function watchRun(
  activity: Activity,
  watched: WatchedRun,
  startAgain: StartAgain,
): Promise<PhaseOutcome> {
  const taken = await takeLease(activity, watched.run)
  if (taken.kind === 'refused') return dropped(taken.reason)
  const step = decideReport(await attach(activity, watched, 0), situationOf(activity, watched))
  return pursue(activity, watched, { step, startAgain })
}

/** Goes on from what the contact that made the start brought. */
export async function watchStarted(
  activity: Activity,
  watched: WatchedRun,
  first: { readonly contact: Contact<RunReport>; readonly startAgain: StartAgain },
): Promise<PhaseOutcome> {
  const step = decideReport(first.contact, { ...situationOf(activity, watched), isFirstContact: true })
  return pursue(activity, watched, { step, startAgain: first.startAgain })
}

async function pursue(
  activity: Activity,
  started: WatchedRun,
  { step: first, startAgain }: { readonly step: RunStep; readonly startAgain: StartAgain },
): Promise<PhaseOutcome> {
  let watched = started
  let step = first
  for (;;) {
    const advance =
      step.kind === 'start-again'
        ? await beginAgain(activity, watched, startAgain)
        : await follow(activity, watched, step)
    if (advance.kind === 'over') return advance.outcome
    watched = advance.watched ?? watched
    step = advance.step
  }
}

async function follow(
  activity: Activity,
  watched: WatchedRun,
  step: Exclude<RunStep, { kind: 'start-again' }>,
): Promise<Advance> {
  switch (step.kind) {
    case 'watch-on':
      return watchOn(activity, watched, step.offset)
    case 'check-left': {
      const agent = await lookAtAgent(activity, watched.record)
      return { kind: 'next', step: decideLeft(agent, step.because, situationOf(activity, watched)) }
    }
    case 'finish':
      return over(await conclude(activity, watched, step.result))
    case 'attach-later':
      return over(await attachLater(activity, watched, step))
    case 'withdraw':
      return over(await withdraw(activity, watched, step))
    case 'fall-behind':
      return over(await catchUp(activity, watched, step))
    case 'quarantine': {
      const { result, reason, message } = step
      const { deps, scope } = activity
      await deps.changeHost(watched.record.key, { kind: 'quarantined', reason, message }, scope.clock.nowMs())
      return over(await conclude(activity, watched, result))
    }
  }
}

async function watchOn(activity: Activity, watched: WatchedRun, offset: number): Promise<Advance> {
  const { scope } = activity
  if (scope.deadlineAtMs - scope.clock.nowMs() < openingMs) return over(await handOver(activity, watched))
  const renewed = await takeLease(activity, watched.run)
  if (renewed.kind === 'refused') return over(dropped(renewed.reason))
  const contact = await attach(activity, watched, offset)
  return { kind: 'next', step: decideReport(contact, situationOf(activity, watched)) }
}

async function beginAgain(activity: Activity, watched: WatchedRun, startAgain: StartAgain): Promise<Advance> {
  const started = await startAgain(activity, watched)
  if (started.kind === 'over') return started
  const again = { ...watched, redact: started.redact }
  const step = decideReport(started.contact, situationOf(activity, again))
  const isLost = step.kind === 'start-again'
  const later: RunStep = {
    kind: 'attach-later',
    reason: 'RunUnknown',
    message: 'the host forgot the run at once',
  }
  return { kind: 'next', step: isLost ? later : step, watched: again }
}

async function attach(
  activity: Activity,
  { record, run }: WatchedRun,
  offset: number,
): Promise<Contact<RunReport>> {
  const { deps } = activity
  const contact = await contactHost(async () => {
    const kubernetes = deps.clusters.connect(record.claim?.cluster ?? activity.message.cluster)
    const target = await sshTargetOf(kubernetes, record, deps.parseKnownHost)
    return deps.runs.attach(target, { runId: run.id, phase: run.phase }, { ...watchOf(activity), offset })
  })
  await learn(activity, record, contact)
  return contact
}

/** How long one contact may wait on the host, so that the invocation can still write down what it learned. */
export function watchOf({ scope }: Activity): { readonly waitMs: number; readonly signal?: AbortSignal } {
  const leftMs = scope.deadlineAtMs - scope.clock.nowMs() - closingMs
  const waitMs = Math.max(0, Math.min(sliceMs, leftMs))
  return scope.signal === undefined ? { waitMs } : { waitMs, signal: scope.signal }
}

export async function learn(
  { deps, scope }: Activity,
  record: HostRecord,
  contact: Contact<unknown>,
): Promise<void> {
  if (contact.kind !== 'reported') return
  await learnHostKeys(deps.changeHost, record, { hostKeys: contact.hostKeys, atMs: scope.clock.nowMs() })
}

function situationOf({ message, scope }: Activity, { run, redact }: WatchedRun): RunSituation {
  return {
    run,
    redact,
    isFirstContact: false,
    deadlineAtMs: message.deadlineAtMs,
    nowMs: scope.clock.nowMs(),
  }
}

async function conclude(activity: Activity, { run }: WatchedRun, result: RunResult): Promise<PhaseOutcome> {
  const record = await finishRun(activity, run, result)
  return record === undefined ? dropped('AnotherRun') : settle(activity, record)
}

async function handOver(activity: Activity, { run }: WatchedRun): Promise<PhaseOutcome> {
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

async function attachLater(activity: Activity, { run }: WatchedRun, cause: Cause): Promise<PhaseOutcome> {
  const { message, deps } = activity
  await giveLeaseBack(activity, run)
  await requestAgain(activity, {
    runId: run.id,
    reason: cause.reason,
    attempt: message.attempt + 1,
    delayMs: retryDelayMs(message.attempt, deps.random),
    deadlineAtMs: Math.max(message.deadlineAtMs, watchedUntilMs(run)),
  })
  return { kind: 'retry-later', reason: cause.reason, facts: { runId: run.id, cause: cause.message } }
}

async function withdraw(
  activity: Activity,
  { run }: WatchedRun,
  { attempt, reason, message }: Cause & { readonly attempt: number },
): Promise<PhaseOutcome> {
  const record = await finishRun(activity, run, { kind: 'withdrawn', reason, message })
  if (record === undefined) return dropped('AnotherRun')
  await collectTokens(activity, record)
  // A host that is busy is asked less often than one that did not answer once.
  const delayMs = retryDelayMs(attempt === run.attempt ? busyPace : run.attempt, activity.deps.random)
  await requestAgain(activity, { reason, attempt, delayMs })
  return { kind: 'retry-later', reason, facts: { runId: run.id, attempt, cause: message } }
}

const busyPace = 4

/** A newer run owns the host, or this table fell behind it: in that case its fence is learned and the phase tried above it. */
async function catchUp(activity: Activity, watched: WatchedRun, cause: Cause): Promise<PhaseOutcome> {
  const outcome = await withdraw(activity, watched, { ...cause, attempt: watched.run.attempt + 1 })
  if (outcome.kind !== 'dropped') await lookAtAgent(activity, watched.record)
  return outcome
}

function over(outcome: PhaseOutcome): Advance {
  return { kind: 'over', outcome }
}
