import { isEphemeralTaint } from '../api/ephemeral-taint.ts'
import { labels } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import { isSameTaint, type Taint } from '../api/taint.ts'

const cordoned: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/**
 * The taints that pods must tolerate. A node that is still starting is judged by what it will be: by its NodeClaim until
 * it is registered, and without ephemeral and startup taints. Afterwards, and for nodes without a NodeClaim, by what it is.
 */
export function lastingTaints(node: Node | undefined, nodeClaim: NodeClaim | undefined): readonly Taint[] {
  if (nodeClaim === undefined || isInitialized(node)) return taintsOn(node)
  const { taints: stated = [], startupTaints = [] } = nodeClaim.spec
  return (isRegistered(node) ? taintsOn(node) : stated).filter(
    (taint) => !isEphemeralTaint(taint) && !startupTaints.some((each) => isSameTaint(each, taint)),
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
