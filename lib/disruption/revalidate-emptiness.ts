// The last look before an empty Node goes: at the pods that a consistent read found on it after it was tainted.
import type { Pod } from '../api/pod.ts'
import { evictionCost } from './eviction-cost.ts'

const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost'

/** Whether the Node still carries nothing to move, and nothing that says do-not-disrupt. */
export function isStillEmpty(pods: readonly Pod[]): boolean {
  return !pods.some(isToBeMoved)
}

function isToBeMoved({ metadata, spec, status }: Pod): boolean {
  const ownerKinds = (metadata.ownerReferences ?? []).map(({ kind }) => kind)
  if (ownerKinds.includes('DaemonSet') || ownerKinds.includes('Node')) return false
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false
  if (metadata.deletionTimestamp !== undefined && !ownerKinds.includes('StatefulSet')) return false
  const deletionCost = Number(metadata.annotations?.[deletionCostAnnotation] ?? '0')
  return evictionCost({ deletionCost: deletionCost || 0, priority: spec.priority ?? 0 }) > 0
}
