// Which Nodes may be disrupted at all, whatever the method: ours, initialized, staying, not expected to get pods, and without
// anything on them that forbids it.
import { isConditionTrue } from '../api/condition.ts'
import { isProtectedFromDisruption } from '../api/do-not-disrupt.ts'
import { makeLabelMatcher } from '../api/label-selector.ts'
import { annotations, labels, taints } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { NodePool } from '../api/node-pool.ts'
import type { Node } from '../api/node.ts'
import type { PodDisruptionBudget } from '../api/pod-disruption-budget.ts'
import { toleratesTaint } from '../api/toleration.ts'
import type { PodShape } from '../messages/cluster-observed.ts'
import type { DisruptionSnapshot } from './disruption-snapshot.ts'

export interface Candidate {
  readonly nodeClaim: NodeClaim
  readonly node: Node
  readonly pool: NodePool
  readonly shapes: readonly PodShape[]
}

/** A Node that would be disrupted but for what `why` says. */
export interface Blocked {
  readonly candidate: Candidate
  readonly why: string
}

export interface Candidacies {
  readonly candidates: readonly Candidate[]
  readonly blocked: readonly Blocked[]
}

export function candidatesOf(snapshot: DisruptionSnapshot): Candidacies {
  const candidates: Candidate[] = []
  const blocked: Blocked[] = []
  for (const nodeClaim of snapshot.nodeClaims) {
    const candidate = candidateOf(nodeClaim, snapshot)
    if (candidate === undefined) continue
    const why = obstacleTo(candidate, snapshot)
    if (why === undefined) candidates.push(candidate)
    else blocked.push({ candidate, why })
  }
  return { candidates, blocked }
}

function candidateOf(nodeClaim: NodeClaim, snapshot: DisruptionSnapshot): Candidate | undefined {
  const { metadata, status } = nodeClaim
  const node = snapshot.nodes.find((each) => each.metadata.name === status?.nodeName)
  const pool = snapshot.nodePools.find((each) => each.metadata.name === metadata.labels?.[labels.nodePool])
  if (node === undefined || pool === undefined) return undefined
  if (node.metadata.labels?.[labels.initialized] !== 'true') return undefined
  if (metadata.deletionTimestamp !== undefined || node.metadata.deletionTimestamp !== undefined)
    return undefined
  if (isConditionTrue(status?.conditions, 'InstanceTerminating')) return undefined
  const shapes = snapshot.podShapes.filter(({ nodes }) => (nodes[node.metadata.name] ?? 0) > 0)
  return { nodeClaim, node, pool, shapes }
}

function obstacleTo(
  { nodeClaim, node, shapes }: Candidate,
  snapshot: DisruptionSnapshot,
): string | undefined {
  const isNominated =
    snapshot.nominated.has(node.metadata.name) || snapshot.nominated.has(nodeClaim.metadata.name)
  if (isNominated) return 'a pending pod is expected on it'
  if (node.metadata.annotations?.[annotations.doNotDisrupt] === 'true') return 'the Node says do-not-disrupt'
  const active = shapes.filter(isActive)
  // Shapes do not tell when a pod started: a duration protects here, and the last look knows better.
  if (active.some(({ doNotDisrupt }) => isProtectedFromDisruption(doNotDisrupt, undefined, 0)))
    return 'a pod on it says do-not-disrupt'
  return active
    .filter(isEvictable)
    .flatMap((shape) => budgetObstacle(shape, snapshot.podDisruptionBudgets) ?? [])[0]
}

export function isActive({ isTerminal, isTerminating }: PodShape): boolean {
  return !isTerminal && !isTerminating
}

function isEvictable({ ownerKind, needs }: PodShape): boolean {
  return ownerKind !== 'Node' && !toleratesTaint(needs.tolerations, taints.disrupted)
}

function budgetObstacle(shape: PodShape, budgets: readonly PodDisruptionBudget[]): string | undefined {
  const matching = budgets.filter(
    ({ metadata, spec }) => metadata.namespace === shape.namespace && selects(spec.selector, shape),
  )
  if (matching.length > 1) return 'a pod on it has more than one PodDisruptionBudget'
  const [budget] = matching
  if (budget === undefined || (budget.status?.disruptionsAllowed ?? 0) > 0) return undefined
  if (!shape.isReady && budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return undefined
  return `PodDisruptionBudget "${budget.metadata.name}" allows no disruption now`
}

/** An absent selector selects nothing, an empty one everything; an unreadable one is taken to select. */
function selects(selector: PodDisruptionBudget['spec']['selector'], shape: PodShape): boolean {
  if (selector === undefined) return false
  try {
    return makeLabelMatcher(selector)(shape.labels)
  } catch {
    return true
  }
}
