// A cluster may carry more pods than a message does. Then the watcher leaves out the bound ones and says so; what runs where is
// unknown for this activation, which is not the same as nothing.
import { labels } from '../api/names.ts'
import type { Node } from '../api/node.ts'
import type { ClusterObserved, ClusterSnapshot } from '../messages/cluster-observed.ts'

export function knowsBoundPods({ degraded }: ClusterObserved): boolean {
  return !degraded.some((cut) => cut.startsWith('boundPods:'))
}

/** The snapshot to provision from: of a Node that may be full by now nobody expects room. */
export function withoutUnknownRoom(message: ClusterObserved): ClusterSnapshot {
  const { snapshot } = message
  if (knowsBoundPods(message)) return snapshot
  return {
    ...snapshot,
    nodes: snapshot.nodes.map((node) => (isInitialized(node) ? withoutRoom(node) : node)),
  }
}

/** Pods of other kinds than daemons run on initialized Nodes alone. */
function isInitialized({ metadata }: Node): boolean {
  return metadata.labels?.[labels.initialized] === 'true' || metadata.labels?.[labels.nodePool] === undefined
}

function withoutRoom(node: Node): Node {
  return { ...node, status: { ...node.status, allocatable: {} } }
}
