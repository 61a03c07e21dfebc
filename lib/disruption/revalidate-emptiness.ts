// The last look before an empty Node goes: at the pods that a consistent read found on it after it was tainted.
import { isProtectedFromDisruption } from '../api/do-not-disrupt.ts'
import { annotations } from '../api/names.ts'
import type { Pod } from '../api/pod.ts'
import { parseInstantMs } from '../api/rfc3339.ts'
import { evictionCost } from './eviction-cost.ts'

const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost'

/** Whether the Node still carries nothing to move, and nothing that says do-not-disrupt. */
export function isStillEmpty(pods: readonly Pod[], nowMs: number): boolean {
  return !pods.some((pod) => isToBeMoved(pod) || isHolding(pod, nowMs))
}

function isToBeMoved(pod: Pod): boolean {
  const { metadata, spec } = pod
  if (isEnded(pod) || isOwnedBy(pod, 'DaemonSet') || isOwnedBy(pod, 'Node')) return false
  if (metadata.deletionTimestamp !== undefined && !isOwnedBy(pod, 'StatefulSet')) return false
  const deletionCost = Number(metadata.annotations?.[deletionCostAnnotation] ?? '0')
  return evictionCost({ deletionCost: deletionCost || 0, priority: spec.priority ?? 0 }) > 0
}

function isHolding(pod: Pod, nowMs: number): boolean {
  const isActive = !isEnded(pod) && pod.metadata.deletionTimestamp === undefined
  const value = pod.metadata.annotations?.[annotations.doNotDisrupt]
  return isActive && isProtectedFromDisruption(value, parseInstantMs(pod.status?.startTime), nowMs)
}

function isEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

function isOwnedBy({ metadata }: Pod, kind: string): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => owner.kind === kind)
}
