// With what a host leaves. It gets its two addresses and nothing else, so that it works when everything else is gone.
import { SpecError } from '../errors/spec-error.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { makeLeaveContext } from '../profile/join-context.ts'
import { renderPhase } from '../profile/render-phase.ts'
import { chooseLeaveScript } from './choose-leave-script.ts'
import { requestOf } from './decide-start.ts'
import type { LeaveView } from './look-at-leave.ts'
import type { StartDecision } from './run-plan.ts'
import type { ParseKnownHost } from './ssh-credentials.ts'
import { sshTargetFrom } from './ssh-target.ts'

export function decideLeave(
  record: HostRecord,
  view: LeaveView,
  parseKnownHost: ParseKnownHost,
): StartDecision {
  try {
    const chosen = chooseLeaveScript(record, view.profile, view.recipe)
    if (chosen === undefined) return noScript(record)
    const target = sshTargetFrom(record, view.sshKey, parseKnownHost)
    const rendered = renderPhase(chosen.profile, 'leave', makeLeaveContext(record))
    const request = requestOf('leave', { ...rendered, timeoutMs: chosen.timeoutMs })
    // A leave is told nothing that would have to be hidden.
    return { kind: 'run', plan: { target, request, redact: (text) => text } }
  } catch (error) {
    if (!(error instanceof SpecError)) throw error
    const { reason = 'SpecInvalid', message } = error
    return { kind: 'refuse', reason, message, blamesHost: false }
  }
}

function noScript({ key, installed }: HostRecord): StartDecision {
  const message = `Cannot let host "${key.name}" leave: neither profile "${installed ?? ''}" nor a leave recipe is known, let it leave by hand (kpssh phase run leave), then say so with kpssh host release --left`
  return { kind: 'refuse', reason: 'LeaveScriptNotFound', message, blamesHost: false }
}
