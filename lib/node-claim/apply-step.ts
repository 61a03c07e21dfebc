// Applies one step. Every write names what it believes: a resourceVersion, a uid, a claim. A conflict stops the NodeClaim
// for this activation; nothing is retried here.
import { finalizers, karpenterApiVersion } from '../api/names.ts'
import type { HostEvent } from '../hosts/host-event.ts'
import { nodeClaims } from '../kubernetes/resources.ts'
import { applyClaimHost } from './apply-claim-host.ts'
import { applyDrain } from './apply-drain.ts'
import { applyDeleteNode, applyInitializeNode, applyRegisterNode } from './apply-node.ts'
import { applyUpdate } from './apply-update.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import { finalizerRemovalPatch } from './node-patches.ts'
import { requestPhase } from './request-phase.ts'
import type { Step } from './step.ts'
import { advanced, patched, stopped, type ApplyDeps, type StepOutcome } from './step-outcome.ts'

export async function applyStep(
  deps: ApplyDeps,
  view: NodeClaimView,
  step: Exclude<Step, { kind: 'wait' }>,
): Promise<StepOutcome> {
  switch (step.kind) {
    case 'add-finalizer':
      return applyAddFinalizer(deps, view)
    case 'claim-host':
      return applyClaimHost(deps, view, step.candidates)
    case 'request-phase':
      return requestPhase(deps, view, step)
    case 'match-node':
    case 'fail-claim':
    case 'release-host':
      return applyHostEvent(deps, view, step)
    case 'update':
      return applyUpdate(deps, view, step)
    case 'register-node':
      return applyRegisterNode(deps, view, step.nodeName)
    case 'initialize-node':
      return applyInitializeNode(deps, view, step.nodeName)
    case 'drain':
      return applyDrain(deps, view, step)
    case 'delete-node':
      return applyDeleteNode(deps, view, step)
    case 'delete':
      return applyDelete(deps, view, step)
    case 'remove-finalizer':
      return applyRemoveFinalizer(deps, view)
  }
}

async function applyAddFinalizer(deps: ApplyDeps, view: NodeClaimView): Promise<StepOutcome> {
  const { metadata } = view.nodeClaim
  const patch = {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      finalizers: [...(metadata.finalizers ?? []), finalizers.termination],
    },
  }
  return patched(view, await deps.kubernetes.patch(nodeClaims, metadata.name, patch))
}

async function applyRemoveFinalizer(deps: ApplyDeps, view: NodeClaimView): Promise<StepOutcome> {
  const patch = finalizerRemovalPatch(view.nodeClaim, finalizers.termination)
  const outcome = await deps.kubernetes.patch(nodeClaims, view.nodeClaim.metadata.name, patch)
  return stopped(outcome.kind === 'patched' ? 'finalized' : outcome.kind)
}

type HostStep = Extract<Step, { kind: 'match-node' | 'fail-claim' | 'release-host' }>

async function applyHostEvent(deps: ApplyDeps, view: NodeClaimView, step: HostStep): Promise<StepOutcome> {
  const uid = view.nodeClaim.metadata.uid
  const outcome = await deps.changeHost(step.host, eventOf(step, uid), deps.clock.nowMs())
  if (outcome.kind === 'refused') return stopped(`${step.kind}: ${outcome.reason}`)
  const isHeld = outcome.record.claim?.uid === uid
  return advanced({ ...view, host: isHeld ? outcome.record : undefined, boundTo: outcome.record })
}

function eventOf(step: HostStep, uid: string): HostEvent {
  switch (step.kind) {
    case 'match-node':
      return { kind: 'node-matched', uid, providerID: step.providerID, nodeName: step.nodeName }
    case 'fail-claim':
      return { kind: 'claim-failed', uid, reason: step.reason, message: step.message }
    case 'release-host':
      return { kind: 'released', uid, isClean: true }
  }
}

async function applyDelete(
  deps: ApplyDeps,
  view: NodeClaimView,
  step: Extract<Step, { kind: 'delete' }>,
): Promise<StepOutcome> {
  const { name, uid } = view.nodeClaim.metadata
  const object = { apiVersion: karpenterApiVersion, kind: 'NodeClaim', name, uid }
  await deps.events.record({
    cluster: deps.cluster,
    object,
    type: 'Warning',
    reason: step.reason,
    message: step.message,
  })
  const outcome = await deps.kubernetes.delete(nodeClaims, name, { uid })
  if (outcome !== 'deleted') return stopped(outcome)
  const nodeClaim = await deps.kubernetes.get(nodeClaims, name)
  return nodeClaim?.metadata.uid === uid ? advanced({ ...view, nodeClaim }) : stopped('gone')
}
