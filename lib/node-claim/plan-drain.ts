// Which pods of a leaving Node are evicted now, which are forced, and whether anything is left to wait for. Karpenter's
// rules: four tiers, pods that tolerate the disrupted taint stay, mirror pods are nobody's to evict.
import { isProtectedFromDisruption } from '../api/do-not-disrupt.ts'
import { annotations, taints } from '../api/names.ts'
import type { Pod } from '../api/pod.ts'
import { parseInstantMs } from '../api/rfc3339.ts'
import { tolerates } from '../api/toleration.ts'

export interface DrainPlan {
  /** Nothing left that anybody has to wait for. */
  readonly isDrained: boolean
  readonly evict: readonly Pod[]
  readonly force: readonly { readonly pod: Pod; readonly gracePeriodSeconds: number }[]
}

/** A pod that terminates this much longer than its grace period allows does not hold a Node any more. */
const stuckAfterMs = 60_000
const defaultGraceSeconds = 30

export function planDrain(pods: readonly Pod[], nowMs: number, forceAtMs: number | undefined): DrainPlan {
  const waiting = pods.filter((pod) => isWaitedFor(pod, nowMs))
  const force = forceAtMs === undefined ? [] : waiting.filter((pod) => isForced(pod, nowMs, forceAtMs))
  const tier = Math.min(...waiting.map(tierOf))
  const evict = waiting.filter(
    (pod) => tierOf(pod) === tier && !isTerminating(pod) && !isProtected(pod, nowMs) && !force.includes(pod),
  )
  return {
    isDrained: waiting.length === 0,
    evict,
    force: force.map((pod) => ({
      pod,
      gracePeriodSeconds: Math.max(1, Math.floor(((forceAtMs ?? nowMs) - nowMs) / 1000)),
    })),
  }
}

function isWaitedFor(pod: Pod, nowMs: number): boolean {
  const phase = pod.status?.phase
  if (phase === 'Succeeded' || phase === 'Failed' || isMirror(pod)) return false
  if ((pod.spec.tolerations ?? []).some((toleration) => tolerates(toleration, taints.disrupted))) return false
  return !isStuck(pod, nowMs)
}

function isMirror(pod: Pod): boolean {
  return pod.metadata.ownerReferences?.some((owner) => owner.kind === 'Node') === true
}

function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined
}

function isStuck(pod: Pod, nowMs: number): boolean {
  // The deletionTimestamp of a pod already includes its grace period.
  return isTerminating(pod) && nowMs > Date.parse(pod.metadata.deletionTimestamp ?? '') + stuckAfterMs
}

function isProtected({ metadata, status }: Pod, nowMs: number): boolean {
  const value = metadata.annotations?.[annotations.doNotDisrupt]
  return isProtectedFromDisruption(value, parseInstantMs(status?.startTime), nowMs)
}

function tierOf(pod: Pod): number {
  const isCritical = ['system-cluster-critical', 'system-node-critical'].includes(
    pod.spec.priorityClassName ?? '',
  )
  const isDaemon = pod.metadata.ownerReferences?.some((owner) => owner.kind === 'DaemonSet') === true
  return (isCritical ? 2 : 0) + (isDaemon ? 1 : 0)
}

/** A pod is forced as soon as its own grace period would not fit before the deadline any more. */
function isForced(pod: Pod, nowMs: number, forceAtMs: number): boolean {
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1000
  if (isTerminating(pod)) return Date.parse(pod.metadata.deletionTimestamp ?? '') > forceAtMs
  return nowMs > forceAtMs - graceMs
}
