// From a snapshot to a message that a queue can carry. What has to be left out is said, so that nobody takes "not sent"
// for "not there".
import type { ClusterObserved, ClusterSnapshot, PodShape } from '../messages/cluster-observed.ts'

export interface MessageLimits {
  /** More pods than anybody can place in one activation are of no use. */
  readonly maxPendingPods: number
  /** Of the body as it is sent. */
  readonly maxBytes: number
  /** Size of the body that a message becomes. */
  readonly sizeOf: (message: ClusterObserved) => number
}

export type MessageFrame = Omit<ClusterObserved, 'type' | 'version' | 'degraded' | 'snapshot'>

/**
 * Left out in this order, each only if the one before was not enough: young pending pods, pods that have ended, all bound
 * pods (`boundPods:N`: such a message says nothing about what is empty).
 */
export function toClusterObserved(
  snapshot: ClusterSnapshot,
  frame: MessageFrame,
  limits: MessageLimits,
): ClusterObserved {
  const { cuts, last } = cutsOf(snapshot, limits.maxPendingPods)
  for (const cut of cuts) {
    const message = messageOf(snapshot, cut, frame)
    if (limits.sizeOf(message) <= limits.maxBytes) return message
  }
  return messageOf(snapshot, last, frame)
}

interface Cut {
  readonly pendingPods: number
  readonly podShapes: readonly PodShape[]
  /** Which bound pods are missing. */
  readonly missing: 'endedPods' | 'boundPods'
}

const fewestPendingPods = 50

function cutsOf(
  snapshot: ClusterSnapshot,
  maxPendingPods: number,
): { readonly cuts: readonly Cut[]; readonly last: Cut } {
  const { podShapes } = snapshot
  const cuts: Cut[] = []
  let pendingPods = Math.min(snapshot.pendingPods.length, maxPendingPods)
  cuts.push({ pendingPods, podShapes, missing: 'endedPods' })
  while (pendingPods > fewestPendingPods) {
    pendingPods = Math.max(fewestPendingPods, Math.floor(pendingPods / 2))
    cuts.push({ pendingPods, podShapes, missing: 'endedPods' })
  }
  cuts.push({
    pendingPods,
    podShapes: podShapes.filter(({ isTerminal }) => !isTerminal),
    missing: 'endedPods',
  })
  return { cuts, last: { pendingPods, podShapes: [], missing: 'boundPods' } }
}

function messageOf(snapshot: ClusterSnapshot, cut: Cut, frame: MessageFrame): ClusterObserved {
  const missingPending = snapshot.pendingPods.length - cut.pendingPods
  const missingBound = podCount(snapshot.podShapes) - podCount(cut.podShapes)
  return {
    type: 'ClusterObserved',
    version: 1,
    ...frame,
    degraded: [
      ...(missingPending > 0 ? [`pendingPods:${missingPending}`] : []),
      ...(missingBound > 0 ? [`${cut.missing}:${missingBound}`] : []),
    ],
    snapshot: {
      ...snapshot,
      pendingPods: snapshot.pendingPods.slice(0, cut.pendingPods),
      podShapes: [...cut.podShapes],
    },
  }
}

function podCount(shapes: readonly PodShape[]): number {
  return shapes.reduce((sum, { nodes }) => sum + Object.values(nodes).reduce((a, b) => a + b, 0), 0)
}
