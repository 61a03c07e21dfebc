// One delivery of RunPhase: the use case behind install, join and leave. It looks at the record, decides from it alone what the
// message is still worth, and then starts a run, watches one, or does what is left after one. Deliveries may come late, twice,
// side by side or die anywhere: what they did is in the record, and the next one goes on from there.
import type { Scope } from '../ambient/ports.ts'
import { TransientError } from '../errors/transient-error.ts'
import type { ChangeHost } from '../hosts/change-host.ts'
import type { HostRecord, Run } from '../hosts/host-record.ts'
import type { RunPhase } from '../messages/run-phase.ts'
import { busyPace, retryDelayMs, watchedInTurns } from './budgets.ts'
import { decideDelivery } from './decide-delivery.ts'
import type { Activity, PhaseDeps } from './phase-deps.ts'
import { dropped, type PhaseOutcome } from './phase-outcome.ts'
import { requestAgain } from './request-again.ts'
import { settle } from './run-follow-ups.ts'
import { giveLeaseBack } from './run-lease.ts'
import { startAgain, startRun } from './run-start.ts'
import { watchRun } from './run-watch.ts'

/** Throws TransientError, ConfigError and LostRaceError; a later delivery goes on where this one stopped. */
export type RunPhaseUseCase = (message: RunPhase, scope: Scope) => Promise<PhaseOutcome>

export function makeRunPhase(given: PhaseDeps): RunPhaseUseCase {
  const deps = { ...given, changeHost: changeFirmly(given.changeHost) }
  return async function runPhase(message, scope) {
    const endsAtMs = scope.deadlineAtMs
    const activity = { deps, message, scope: watchedInTurns(scope), endsAtMs, holder: deps.ids.next() }
    try {
      return await carryOut(activity)
    } catch (error) {
      await letOthersWatch(activity)
      throw error
    }
  }
}

async function carryOut(activity: Activity): Promise<PhaseOutcome> {
  const record = await activity.deps.hosts.get(activity.message.host)
  const delivery = decideDelivery(record, activity.message)
  if (record === undefined || delivery.kind === 'drop') {
    return dropped(delivery.kind === 'drop' ? delivery.reason : 'UnknownHost')
  }
  switch (delivery.kind) {
    case 'start':
      return startRun(activity, record)
    case 'watch':
      return takeOver(activity, record, delivery.run)
    case 'settle':
      return settle(activity, record)
    case 'wait':
      return comeBack(activity, delivery.reason)
  }
}

function takeOver(activity: Activity, record: HostRecord, run: Run): Promise<PhaseOutcome> {
  // The secrets of the run are known to the host alone, which has redacted what it reports.
  return watchRun(activity, { record, run, redact: (text) => text }, startAgain)
}

/** A write that lost every race is tried again later: it is not known yet what the record would have said to it. */
function changeFirmly(changeHost: ChangeHost): ChangeHost {
  return async function changeOrRetry(key, event, nowMs) {
    const outcome = await changeHost(key, event, nowMs)
    if (outcome.kind !== 'refused' || outcome.reason !== 'contended') return outcome
    throw new TransientError(`Cannot write host "${key.name}": others kept writing it, look again`, {
      reason: 'Contended',
      retryAfterMs: 1000,
    })
  }
}

/** Another phase is going on: the request keeps until its deadline. */
async function comeBack(activity: Activity, reason: string): Promise<PhaseOutcome> {
  const { deps, message, scope } = activity
  if (scope.clock.nowMs() >= message.deadlineAtMs) {
    await deps.messages.deadLetter(message.phase, JSON.stringify(message), reason)
    return { kind: 'dead', reason, facts: {} }
  }
  const delayMs = retryDelayMs(busyPace, deps.random)
  await requestAgain(activity, { reason: message.reason, attempt: message.attempt, delayMs })
  return { kind: 'retry-later', reason, facts: { delayMs } }
}

/** What failed here may work in the next delivery, which must not find the run still held. */
async function letOthersWatch(activity: Activity): Promise<void> {
  const { deps, message, scope, holder } = activity
  try {
    const run = (await deps.hosts.get(message.host))?.run
    if (run?.holder === holder) await giveLeaseBack(activity, run)
  } catch (cause) {
    scope.log.warn('lease.kept', { cause })
  }
}
