// Watches one run to its end, or as long as this invocation may: contact, decide, do, and again. Every way out leaves either a
// recorded end or a message that goes on.
import type { RunReport } from '../execution/ports.ts'
import { attachRun } from './attach-run.ts'
import { isTimeUp, paceMs } from './budgets.ts'
import type { Contact } from './contact.ts'
import { decideLeft } from './decide-left.ts'
import { decideReport, type RunSituation, type RunStep } from './decide-report.ts'
import { attachLater, conclude, handOver, withdraw } from './end-watch.ts'
import type { Redact } from './failure-text.ts'
import { lookAtAgent } from './look-at-agent.ts'
import type { Activity } from './phase-deps.ts'
import { dropped, type PhaseOutcome } from './phase-outcome.ts'
import { takeLease } from './run-lease.ts'
import type { WatchedRun } from './watched-run.ts'

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
  const step = decideReport(await attachRun(activity, watched, 0), situationOf(activity, watched))
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
    case 'quarantine': {
      const { result, reason, message } = step
      const { deps, scope } = activity
      await deps.changeHost(watched.record.key, { kind: 'quarantined', reason, message }, scope.clock.nowMs())
      return over(await conclude(activity, watched, result))
    }
  }
}

async function watchOn(activity: Activity, watched: WatchedRun, offset: number): Promise<Advance> {
  if (isTimeUp(activity.scope)) return over(await handOver(activity, watched))
  const renewed = await takeLease(activity, watched.run)
  if (renewed.kind === 'refused') return over(dropped(renewed.reason))
  const { clock, signal } = activity.scope
  const nextAtMs = clock.nowMs() + paceMs
  const contact = await attachRun(activity, watched, offset)
  const step = decideReport(contact, situationOf(activity, watched))
  const earlyMs = nextAtMs - clock.nowMs()
  if (step.kind === 'watch-on' && earlyMs > 0) await clock.wait(earlyMs, signal)
  return { kind: 'next', step }
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

function situationOf({ message, scope }: Activity, { run, redact }: WatchedRun): RunSituation {
  return {
    run,
    redact,
    isFirstContact: false,
    deadlineAtMs: message.deadlineAtMs,
    nowMs: scope.clock.nowMs(),
  }
}

function over(outcome: PhaseOutcome): Advance {
  return { kind: 'over', outcome }
}
