// What one contact about a run leads to. What is certain is recorded; what may still be learned is asked for again, until the
// host would long have ended the run by itself; what cannot be known is never success. "Nothing was started" is believed only
// of the contact that made the start, by the invocation that recorded it: after that, a join may have begun.
import type { RunOutcome, RunReport } from '../execution/ports.ts'
import type { RunResult } from '../hosts/host-event.ts'
import type { Run } from '../hosts/host-record.ts'
import type { RunPhaseName } from '../hosts/phase-name.ts'
import { busyPace, hasTriesLeft, maxInterruptedInstalls, mayGoOnUnseen, watchedUntilMs } from './budgets.ts'
import type { Contact } from './contact.ts'
import { failureText, type Redact } from './failure-text.ts'

export interface Cause {
  readonly reason: string
  readonly message: string
}

export interface RunSituation {
  readonly run: Run
  /** This invocation recorded the start, and this contact was the first one made for it. */
  readonly isFirstContact: boolean
  readonly deadlineAtMs: number
  readonly nowMs: number
  readonly redact: Redact
}

export type RunStep =
  | { readonly kind: 'finish'; readonly result: RunResult }
  /** Leave: what the agent does now decides. `because` is why the exit code alone does not; undefined after code 0. */
  | { readonly kind: 'check-left'; readonly because: Cause | undefined }
  | { readonly kind: 'watch-on'; readonly offset: number }
  /** The host has never heard of the run: start it, by the same id and fence. */
  | { readonly kind: 'start-again' }
  /** The run may go on without us: ask for it again later. */
  | ({ readonly kind: 'attach-later' } & Cause)
  /** Nothing is left of it on the host: try anew as that attempt, after as long as so many tries deserve. */
  | ({ readonly kind: 'withdraw'; readonly attempt: number; readonly pace: number } & Cause)
  | ({ readonly kind: 'quarantine'; readonly result: RunResult } & Cause)

export function decideReport(contact: Contact<RunReport>, situation: RunSituation): RunStep {
  switch (contact.kind) {
    case 'reported':
      return isCutOff(contact.report, situation) ? cutOff(situation) : ofReport(contact.report, situation)
    case 'unreachable':
      return unreachable(contact, situation)
    case 'unusable':
      return situation.isFirstContact ? finish(notStarted(contact, false)) : askLater(contact, situation)
    case 'other-key':
      return quarantine(contact, situation)
  }
}

function ofReport(report: RunReport, situation: RunSituation): RunStep {
  switch (report.kind) {
    case 'finished':
      return ofOutcome(report.outcome, situation)
    case 'running':
      return isOverdue(situation)
        ? askLater({ reason: 'RunOverdue', message: 'the run goes on past its deadline' }, situation)
        : { kind: 'watch-on', offset: report.offset }
    case 'refused':
      return ofRefusal(report, situation)
    case 'unable':
      return situation.isFirstContact
        ? finish(notStarted(report, !profilesFault.has(report.reason)))
        : askLater(report, situation)
    case 'unknown':
      return { kind: 'start-again' }
    case 'indeterminate':
      return askLater({ reason: 'Indeterminate', message: report.message }, situation)
  }
}

function isCutOff(report: RunReport, { run }: RunSituation): boolean {
  const isForgotten =
    report.kind === 'unknown' || (report.kind === 'finished' && report.outcome.kind === 'lost')
  return run.endsWithContact === true && isForgotten
}

/** A run that its host keeps no outcome of. Nothing else is begun there before it must be over. */
function cutOff(situation: RunSituation): RunStep {
  const { run, nowMs } = situation
  const message = `${run.phase} was cut off from its watcher, and a host keeps no outcome of a script without a manifest: sign one (kpssh profile sign)`
  const cause = { reason: 'ContactLost', message }
  if (mayGoOnUnseen(run, nowMs)) return { kind: 'attach-later', ...cause }
  if (run.phase === 'leave') return { kind: 'check-left', because: cause }
  return run.phase === 'install' && run.attempt < maxInterruptedInstalls
    ? anotherTry(run, cause)
    : finish({ kind: 'indeterminate', ...cause })
}

/**
 * What a shim holds against what it was sent, and not against its host: on every other host it would be the same, and none of them
 * is broken.
 */
const profilesFault: ReadonlySet<string> = new Set([
  'NotSigned',
  'ParameterRefused',
  'ManifestDigestMismatch',
  'ManifestMalformed',
  'ManifestPhaseMismatch',
  'ManifestSerialTooLow',
])

function ofRefusal(refusal: Extract<RunReport, { kind: 'refused' }>, situation: RunSituation): RunStep {
  const { reason, message } = refusal
  switch (reason) {
    case 'FenceStale': {
      // Somebody newer owns the host, and will not let us withdraw; or this table fell behind its hosts.
      const { run } = situation
      return hasTriesLeft(run.phase, run.attempt)
        ? anotherTry(run, refusal)
        : nothingStarted({ reason, message: `${message}; see kpssh host adopt` }, situation)
    }
    case 'RunInProgress': {
      const canWait = situation.nowMs < situation.deadlineAtMs && isWithdrawable(situation)
      const { attempt } = situation.run
      return canWait
        ? { kind: 'withdraw', attempt, pace: busyPace, reason, message }
        : nothingStarted(refusal, situation)
    }
    case 'FenceAbsurd':
    case 'ForeignInstallation':
      return nothingStarted({ reason, message: `${message}; see kpssh host adopt` }, situation)
  }
}

function ofOutcome(outcome: RunOutcome, situation: RunSituation): RunStep {
  const { run, redact } = situation
  if (outcome.kind === 'exited' && outcome.exitCode === 0) {
    return run.phase === 'leave' ? { kind: 'check-left', because: undefined } : finish({ kind: 'succeeded' })
  }
  const cause = {
    reason: failureReason(run.phase, outcome),
    message: failureText(run.phase, outcome, redact),
  }
  if (run.phase === 'leave' && isUnknowable(outcome)) return { kind: 'check-left', because: cause }
  const isInterrupted = run.phase === 'install' && outcome.kind === 'lost'
  return isInterrupted && run.attempt < maxInterruptedInstalls
    ? anotherTry(run, cause)
    : finish({ kind: 'failed', ...cause })
}

/** The script may have done all that it had to, and nobody saw it. */
function isUnknowable({ kind, exitCode }: RunOutcome): boolean {
  return kind === 'lost' || (kind === 'exited' && exitCode === undefined)
}

const failureNames: Readonly<Record<RunPhaseName, string>> = {
  install: 'Install',
  join: 'Join',
  leave: 'Leave',
}

function failureReason(phase: RunPhaseName, { kind }: RunOutcome): string {
  switch (kind) {
    case 'exited':
      return `${failureNames[phase]}Failed`
    case 'timed-out':
      return `${failureNames[phase]}TimedOut`
    case 'killed':
      return `${failureNames[phase]}Killed`
    case 'lost':
      return 'HostRebooted'
  }
}

/** The first contact failed: nothing was started, and there may be time to try again before the host is blamed. */
function unreachable(cause: Cause, situation: RunSituation): RunStep {
  const { run, isFirstContact, nowMs, deadlineAtMs } = situation
  if (!isFirstContact) return askLater(cause, situation)
  const isWorthIt = hasTriesLeft(run.phase, run.attempt) && nowMs < deadlineAtMs
  return isWorthIt ? anotherTry(run, cause) : nothingStarted(cause, situation)
}

function anotherTry({ attempt }: Run, cause: Cause): RunStep {
  return { kind: 'withdraw', attempt: attempt + 1, pace: attempt, ...causeOf(cause) }
}

/** Only a join that may have begun without our knowing cannot be taken back. */
function isWithdrawable({ run, isFirstContact }: RunSituation): boolean {
  return isFirstContact || run.phase !== 'join'
}

function nothingStarted(cause: Cause, situation: RunSituation): RunStep {
  return finish(
    isWithdrawable(situation) ? notStarted(cause, true) : { kind: 'indeterminate', ...causeOf(cause) },
  )
}

function notStarted(cause: Cause, blamesHost: boolean): RunResult {
  return { kind: 'not-started', ...causeOf(cause), blamesHost }
}

export function isOverdue({ run, nowMs }: RunSituation): boolean {
  return nowMs >= watchedUntilMs(run)
}

function askLater(cause: Cause, situation: RunSituation): RunStep {
  const { run } = situation
  if (!isOverdue(situation)) return { kind: 'attach-later', ...causeOf(cause) }
  if (run.phase === 'leave') return { kind: 'check-left', because: causeOf(cause) }
  return finish({ kind: 'indeterminate', ...causeOf(cause) })
}

export function quarantine(cause: Cause, situation: RunSituation): RunStep {
  const result = isWithdrawable(situation)
    ? notStarted(cause, true)
    : { kind: 'indeterminate' as const, ...causeOf(cause) }
  return { kind: 'quarantine', result, ...causeOf(cause) }
}

function finish(result: RunResult): RunStep {
  return { kind: 'finish', result }
}

function causeOf({ reason, message }: Cause): Cause {
  return { reason, message }
}
