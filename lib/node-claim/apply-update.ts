import type { NodeClaim } from '../api/node-claim.ts'
import {
  nodeClaimConditions,
  withCondition,
  withInitialConditions,
  type Conditions,
} from '../api/condition.ts'
import { nodeClaims } from '../kubernetes/resources.ts'
import { advanced, patched, type ApplyDeps, type StepOutcome } from './step-outcome.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import type { Step } from './step.ts'

type Update = Extract<Step, { kind: 'update' }>

/** Object metadata first, then status: two writes, since status is a subresource. Both are conditional. */
export async function applyUpdate(deps: ApplyDeps, view: NodeClaimView, step: Update): Promise<StepOutcome> {
  const metadata = await updateMetadata(deps, view, step)
  if (metadata.kind === 'stopped') return metadata
  return updateStatus(deps, metadata.view, step)
}

async function updateMetadata(deps: ApplyDeps, view: NodeClaimView, step: Update): Promise<StepOutcome> {
  const { metadata } = view.nodeClaim
  // What the NodeClaim says already wins over what the host would say.
  const labels = { ...step.labels, ...metadata.labels }
  const annotations = { ...metadata.annotations, ...step.annotations }
  if (isSame(labels, metadata.labels) && isSame(annotations, metadata.annotations)) return advanced(view)
  const patch = { metadata: { resourceVersion: metadata.resourceVersion, labels, annotations } }
  return patched(view, await deps.kubernetes.patch(nodeClaims, metadata.name, patch))
}

async function updateStatus(deps: ApplyDeps, view: NodeClaimView, step: Update): Promise<StepOutcome> {
  if (step.status === undefined && step.conditions.length === 0) return advanced(view)
  const { metadata } = view.nodeClaim
  const status = {
    ...step.status,
    conditions: nextConditions(view.nodeClaim, step, deps.clock.nowMs()),
  }
  const patch = { metadata: { resourceVersion: metadata.resourceVersion }, status }
  return patched(
    view,
    await deps.kubernetes.patch(nodeClaims, metadata.name, patch, { subresource: 'status' }),
  )
}

function nextConditions(nodeClaim: NodeClaim, step: Update, nowMs: number): Conditions {
  const context = { set: nodeClaimConditions, object: nodeClaim.metadata, nowMs }
  return step.conditions.reduce(
    (conditions, change) => withCondition(conditions, change, context),
    withInitialConditions(nodeClaim.status?.conditions ?? [], context),
  )
}

function isSame(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>> | undefined,
): boolean {
  const known = b ?? {}
  const keys = Object.keys(a)
  return keys.length === Object.keys(known).length && keys.every((key) => a[key] === known[key])
}
