import { labels, taints } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import { isSameTaint, type Taint } from '../api/taint.ts'

/** Taints that go away by themselves while a node starts. */
const ephemeral: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule', value: 'true' },
  taints.unregistered,
]
const readinessPrefix = 'readiness.k8s.io/'
const cordoned: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

export function isEphemeral(taint: Taint): boolean {
  return (
    taint.key.startsWith(readinessPrefix) ||
    ephemeral.some(
      (each) => isSameTaint(each, taint) && (each.value === undefined || each.value === taint.value),
    )
  )
}

/**
 * The taints that pods must tolerate. A node that is still starting is judged by what it will be: by its NodeClaim until
 * it is registered, and without ephemeral and startup taints. Afterwards, and for nodes without a NodeClaim, by what it is.
 */
export function lastingTaints(node: Node | undefined, nodeClaim: NodeClaim | undefined): readonly Taint[] {
  if (nodeClaim === undefined || isInitialized(node)) return taintsOn(node)
  const { taints: stated = [], startupTaints = [] } = nodeClaim.spec
  return (isRegistered(node) ? taintsOn(node) : stated).filter(
    (taint) => !isEphemeral(taint) && !startupTaints.some((each) => isSameTaint(each, taint)),
  )
}

function taintsOn(node: Node | undefined): readonly Taint[] {
  const { taints: stated = [], unschedulable = false } = node?.spec ?? {}
  return unschedulable ? [...stated, cordoned] : stated
}

export function isRegistered(node: Node | undefined): boolean {
  return node?.metadata.labels?.[labels.registered] === 'true'
}

export function isInitialized(node: Node | undefined): boolean {
  return node?.metadata.labels?.[labels.initialized] === 'true'
}
