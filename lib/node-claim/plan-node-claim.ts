// The lifecycle of one NodeClaim that references our node class, whoever created it, in Karpenter's order: finalizer,
// launch, registration, initialization, liveness; termination once it is being deleted. Pure: asked again after every step.
import { finalizers } from '../api/names.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import { planInitialization } from './plan-initialization.ts'
import { planLaunch } from './plan-launch.ts'
import { planLiveness } from './plan-liveness.ts'
import { planRegistration } from './plan-registration.ts'
import { planTermination } from './plan-termination.ts'
import { wait, type Step } from './step.ts'

export function planNodeClaim(view: NodeClaimView, nowMs: number): Step {
  const { metadata } = view.nodeClaim
  const isFinalized = metadata.finalizers?.includes(finalizers.termination) === true
  if (metadata.deletionTimestamp !== undefined) {
    return isFinalized ? planTermination(view, nowMs) : wait('gone')
  }
  if (!isFinalized) return { kind: 'add-finalizer' }
  return (
    planLiveness(view, nowMs) ??
    planLaunch(view, nowMs) ??
    planRegistration(view) ??
    planInitialization(view) ??
    wait('settled')
  )
}
