// Asks a phase function for work. A request is a hint: the function looks at the table and drops what is not wanted.
import type { HostKey } from '../hosts/host-record.ts'
import type { RunPhaseName } from '../hosts/phase-name.ts'
import { applyUpdate } from './apply-update.ts'
import { advanced, type ApplyDeps, type StepOutcome } from './step-outcome.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import type { Step } from './step.ts'

/** A leave is worth trying for long; an install or join only until its NodeClaim is given up. */
const leaveWindowMs = 60 * 60_000

interface Request {
  readonly phase: RunPhaseName
  readonly host: HostKey
  readonly reason: string
}

export async function sendRunPhase(deps: ApplyDeps, view: NodeClaimView, request: Request): Promise<void> {
  const nowMs = deps.clock.nowMs()
  const { name, uid } = view.nodeClaim.metadata
  await deps.sender.send(request.phase, {
    type: 'RunPhase',
    version: 1,
    cluster: deps.cluster,
    phase: request.phase,
    host: request.host,
    nodeClaim: { name, uid },
    reason: request.reason,
    attempt: 1,
    requestedAtMs: nowMs,
    deadlineAtMs: nowMs + (request.phase === 'leave' ? leaveWindowMs : view.registrationTimeoutMs),
  })
}

export async function requestPhase(
  deps: ApplyDeps,
  view: NodeClaimView,
  step: Extract<Step, { kind: 'request-phase' }>,
): Promise<StepOutcome> {
  await sendRunPhase(deps, view, step)
  // One request per activation: the view of a repeated one would look the same and ask again.
  const quiet = { ...view, isHeartbeat: false }
  if (step.phase !== 'leave') return advanced(quiet)
  return applyUpdate(deps, quiet, {
    kind: 'update',
    conditions: [{ type: 'InstanceTerminating', status: 'True' }],
  })
}
