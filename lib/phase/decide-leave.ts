// With what a host leaves. It gets its two addresses and nothing else, so that it works when everything else is gone.
import { SpecError } from '../errors/spec-error.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { makeLeaveContext } from '../profile/join-context.ts'
import { leaveScripts, type LeaveScript } from './choose-leave-script.ts'
import { requestOf } from './decide-start.ts'
import type { LeaveView } from './look-at-leave.ts'
import { preparePhase } from './prepare-phase.ts'
import type { RunPlan, StartDecision } from './run-plan.ts'
import type { ParseKnownHost } from './ssh-credentials.ts'
import { sshTargetFrom } from './ssh-target.ts'

export interface LeaveQuestion {
  readonly record: HostRecord
  readonly view: LeaveView
  readonly nowMs: number
  readonly parseKnownHost: ParseKnownHost
}

export function decideLeave({ record, view, nowMs, parseKnownHost }: LeaveQuestion): StartDecision {
  try {
    const scripts = leaveScripts(record, view.profile, view.recipe)
    if (scripts.length === 0) return noScript(record)
    const target = sshTargetFrom(record, view.sshKey, parseKnownHost)
    const request = firstThatMayRun(record, scripts, nowMs)
    // A leave is told nothing that would have to be hidden.
    return { kind: 'run', plan: { target, request, redact: (text) => text } }
  } catch (error) {
    if (!(error instanceof SpecError)) throw error
    const { reason = 'SpecInvalid', message } = error
    return { kind: 'refuse', reason, message, blamesHost: false }
  }
}

/** A live profile that lost its signature strands no host whose recipe still has one. Throws SpecError, of the best script. */
function firstThatMayRun(
  record: HostRecord,
  scripts: readonly LeaveScript[],
  nowMs: number,
): RunPlan['request'] {
  const prepared = scripts.map((script) => prepare(record, script, nowMs))
  const fit = prepared.filter((one) => !(one instanceof SpecError))
  // A host in mode Verified may refuse what we take for right: then it is offered the next.
  const turn = record.verified === undefined ? 0 : record.leaveAttempts % Math.max(fit.length, 1)
  const chosen = fit[turn] ?? prepared[0]
  if (chosen === undefined || chosen instanceof SpecError) {
    throw chosen ?? new SpecError('Cannot leave: no script', { reason: 'LeaveScriptNotFound' })
  }
  return chosen
}

function prepare(
  record: HostRecord,
  { profile, timeoutMs }: LeaveScript,
  nowMs: number,
): RunPlan['request'] | SpecError {
  // A leave that is cut short may have done its work; one that is not begun has not.
  const question = { profile, phase: 'leave', nowMs, attachedMs: Infinity } as const
  try {
    const rendered = preparePhase(record, { ...question, context: makeLeaveContext(record) })
    return requestOf('leave', { ...rendered, timeoutMs })
  } catch (error) {
    if (error instanceof SpecError) return error
    throw error
  }
}

function noScript({ key, installed }: HostRecord): StartDecision {
  const message = `Cannot let host "${key.name}" leave: neither profile "${installed ?? ''}" nor a leave recipe is known, let it leave by hand (kpssh phase run leave), then say so with kpssh host release --left`
  return { kind: 'refuse', reason: 'LeaveScriptNotFound', message, blamesHost: false }
}
