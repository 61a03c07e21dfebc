// Carries one NodeClaim as far as the facts allow: plan a step, apply it, look at what came of it, plan again. Bounded; a
// step that lost a race or has to wait for somebody ends it, and the next activation starts from fresh facts.
import type { Clock } from '../ambient/ports.ts'
import { applyStep } from './apply-step.ts'
import type { ApplyDeps } from './step-outcome.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import { planNodeClaim } from './plan-node-claim.ts'
import type { Step } from './step.ts'

/** A NodeClaim has a dozen steps from birth to Initialized, and as many from deletion to its end. */
const maxSteps = 24

export interface NodeClaimRun {
  readonly steps: readonly Step['kind'][]
  /** Why it ended. */
  readonly why: string
  readonly view: NodeClaimView
}

export async function runNodeClaim(
  deps: ApplyDeps & { readonly clock: Clock },
  start: NodeClaimView,
): Promise<NodeClaimRun> {
  const steps: Step['kind'][] = []
  let view = start
  for (let count = 0; count < maxSteps; count += 1) {
    const step = planNodeClaim(view, deps.clock.nowMs())
    if (step.kind === 'wait') return { steps, why: step.why, view }
    steps.push(step.kind)
    const outcome = await applyStep(deps, view, step)
    if (outcome.kind === 'stopped') return { steps, why: outcome.why, view }
    view = outcome.view
  }
  return { steps, why: 'step limit reached', view }
}
