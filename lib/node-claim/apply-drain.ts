// One pass of a drain: keep new pods away, look at the pods that are really there, evict what may go now. The pods' own
// disappearance wakes the next pass.
import { mapBounded } from '../ambient/map-bounded.ts'
import type { Pod } from '../api/pod.ts'
import { nodes, pods } from '../kubernetes/resources.ts'
import { applyUpdate } from './apply-update.ts'
import { advanced, stopped, type ApplyDeps, type StepOutcome } from './step-outcome.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import { disruptionPatch } from './node-patches.ts'
import { planDrain } from './plan-drain.ts'
import type { Step } from './step.ts'

const parallelEvictions = 8

export async function applyDrain(
  deps: ApplyDeps,
  view: NodeClaimView,
  step: Extract<Step, { kind: 'drain' }>,
): Promise<StepOutcome> {
  const node = await deps.kubernetes.get(nodes, step.nodeName)
  // Another machine may have taken the name since the snapshot: its pods are not ours to evict.
  if (node !== undefined && node.spec?.providerID !== view.nodeClaim.status?.providerID) {
    return advanced({ ...view, nodes: [] })
  }
  if (node !== undefined) {
    const patch = disruptionPatch(node)
    const outcome = patch === undefined ? undefined : await deps.kubernetes.patch(nodes, step.nodeName, patch)
    if (outcome?.kind === 'conflict') return stopped('conflict')
  }
  const bound = await deps.kubernetes.list(pods, { fieldSelector: `spec.nodeName=${step.nodeName}` })
  const plan = planDrain(bound, deps.clock.nowMs(), step.forceAtMs)
  await mapBounded(plan.evict, parallelEvictions, (pod) => evict(deps, pod, node?.metadata.uid ?? ''))
  await mapBounded(plan.force, parallelEvictions, ({ pod, gracePeriodSeconds }) =>
    deps.kubernetes.delete(pods, pod.metadata.name, {
      uid: pod.metadata.uid,
      gracePeriodSeconds,
      ...(pod.metadata.namespace === undefined ? {} : { namespace: pod.metadata.namespace }),
    }),
  )
  if (!plan.isDrained) return stopped('draining')
  return applyUpdate(deps, view, { kind: 'update', conditions: [{ type: 'Drained', status: 'True' }] })
}

async function evict(deps: ApplyDeps, pod: Pod, nodeUid: string): Promise<void> {
  const { name, namespace = 'default', uid } = pod.metadata
  const outcome = await deps.kubernetes.evict({ namespace, name, uid })
  if (outcome.kind !== 'blocked') return
  await deps.events.record({
    cluster: deps.cluster,
    object: { apiVersion: 'v1', kind: 'Node', name: pod.spec.nodeName ?? '', uid: nodeUid },
    type: 'Warning',
    reason: 'FailedDraining',
    message: `Cannot evict pod "${namespace}/${name}": ${outcome.message}`,
  })
}
