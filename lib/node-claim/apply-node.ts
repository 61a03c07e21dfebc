// What is done to the Node of a NodeClaim. Each reads the Node again first: the snapshot may be old, and a merge patch
// replaces whole lists.
import { finalizers } from '../api/names.ts'
import type { Node } from '../api/node.ts'
import { nodes } from '../kubernetes/resources.ts'
import { advanced, stopped, type ApplyDeps, type StepOutcome } from './step-outcome.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import {
  finalizerRemovalPatch,
  initializationPatch,
  lacksUnregisteredTaint,
  registrationPatch,
} from './node-patches.ts'
import type { Step } from './step.ts'

export async function applyRegisterNode(
  deps: ApplyDeps,
  view: NodeClaimView,
  nodeName: string,
): Promise<StepOutcome> {
  const node = await freshNode(deps, view, nodeName)
  if (node === undefined) return stopped('the Node is gone or another one')
  if (lacksUnregisteredTaint(node)) {
    await deps.events.record({
      cluster: deps.cluster,
      object: { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: node.metadata.uid },
      type: 'Warning',
      reason: 'UnregisteredTaintMissing',
      message:
        'The Node came without the taint karpenter.sh/unregistered:NoExecute: pods may have been bound too early',
    })
  }
  return patchNode(deps, view, node, registrationPatch(node, view.nodeClaim))
}

export async function applyInitializeNode(
  deps: ApplyDeps,
  view: NodeClaimView,
  nodeName: string,
): Promise<StepOutcome> {
  const node = await freshNode(deps, view, nodeName)
  return node === undefined
    ? stopped('the Node is gone or another one')
    : patchNode(deps, view, node, initializationPatch())
}

export async function applyDeleteNode(
  deps: ApplyDeps,
  view: NodeClaimView,
  step: Extract<Step, { kind: 'delete-node' }>,
): Promise<StepOutcome> {
  const node = await deps.kubernetes.get(nodes, step.nodeName)
  if (node?.metadata.uid !== step.uid) return advanced({ ...view, nodes: [] })
  if (node.metadata.finalizers?.includes(finalizers.termination) === true) {
    const outcome = await deps.kubernetes.patch(
      nodes,
      step.nodeName,
      finalizerRemovalPatch(node, finalizers.termination),
    )
    if (outcome.kind !== 'patched' && outcome.kind !== 'not-found') return stopped(outcome.kind)
  }
  await deps.kubernetes.delete(nodes, step.nodeName, { uid: step.uid })
  const left = await deps.kubernetes.get(nodes, step.nodeName)
  return left?.metadata.uid === step.uid ? stopped('the Node is going') : advanced({ ...view, nodes: [] })
}

async function freshNode(deps: ApplyDeps, view: NodeClaimView, nodeName: string): Promise<Node | undefined> {
  const node = await deps.kubernetes.get(nodes, nodeName)
  return node?.spec?.providerID === view.nodeClaim.status?.providerID ? node : undefined
}

export async function patchNode(
  deps: ApplyDeps,
  view: NodeClaimView,
  node: Node,
  patch: object,
): Promise<StepOutcome> {
  const outcome = await deps.kubernetes.patch(nodes, node.metadata.name, patch)
  return outcome.kind === 'patched' ? advanced({ ...view, nodes: [outcome.object] }) : stopped(outcome.kind)
}
