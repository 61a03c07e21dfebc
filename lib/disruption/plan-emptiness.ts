// Emptiness: a Node that carries nothing anybody would have to move goes, once consolidateAfter has passed and as far as the
// pool's budgets allow. Pure; what it names is validated again on a consistent read before anything is done.
import { isConditionTrue } from '../api/condition.ts'
import { labels } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { NodePool } from '../api/node-pool.ts'
import type { PodShape } from '../messages/cluster-observed.ts'
import { allowedDisruptions, type PoolCount } from './budgets.ts'
import { candidatesOf, isActive, type Blocked, type Candidate } from './candidates.ts'
import { isConsolidatable } from './consolidatable.ts'
import { evictionCost } from './eviction-cost.ts'
import type { DisruptionSnapshot } from './disruption-snapshot.ts'

export interface EmptyNode {
  readonly nodeClaim: NodeClaim
  readonly nodeName: string
  readonly pool: string
}

export interface EmptinessPlan {
  /** In the order of their names. */
  readonly empty: readonly EmptyNode[]
  /** Empty and Consolidatable, and kept for the reason given. */
  readonly blocked: readonly Blocked[]
}

export function planEmptiness(snapshot: DisruptionSnapshot, nowMs: number): EmptinessPlan {
  const { candidates, blocked } = candidatesOf(snapshot)
  const isDue = ({ nodeClaim, pool, shapes }: Candidate) =>
    isConsolidatable(nodeClaim, pool, nowMs) && isEmpty(shapes)
  const empty = candidates.filter(isDue)
  const chosen = snapshot.nodePools.flatMap((pool) => {
    const ofPool = empty
      .filter((candidate) => candidate.pool.metadata.name === pool.metadata.name)
      .sort(byName)
    const allowed = allowedDisruptions(pool, 'Empty', { ...countPool(pool, snapshot), nowMs })
    return ofPool.slice(0, Math.min(allowed, ofPool.length))
  })
  return {
    empty: chosen.sort(byName).map(({ nodeClaim, node, pool }) => ({
      nodeClaim,
      nodeName: node.metadata.name,
      pool: pool.metadata.name,
    })),
    blocked: [
      ...blocked.filter(({ candidate }) => isDue(candidate)),
      ...empty.filter((candidate) => !chosen.includes(candidate)).map(overBudget),
    ],
  }
}

function overBudget(candidate: Candidate): Blocked {
  const { name } = candidate.pool.metadata
  return { candidate, why: `the budgets of NodePool "${name}" allow no more nodes to go now` }
}

function byName(a: Candidate, b: Candidate): number {
  return a.nodeClaim.metadata.name < b.nodeClaim.metadata.name ? -1 : 1
}

/** Daemons, mirror pods, and pods that ended or end by themselves are nothing to move; a terminating StatefulSet pod comes back. */
export function isEmpty(shapes: readonly PodShape[]): boolean {
  return shapes.filter(isToBeMoved).every((shape) => evictionCost(shape) <= 0)
}

function isToBeMoved(shape: PodShape): boolean {
  if (shape.ownerKind === 'DaemonSet' || shape.ownerKind === 'Node') return false
  return isActive(shape) || (shape.isTerminating && !shape.isTerminal && shape.ownerKind === 'StatefulSet')
}

/** Initialized Nodes of the pool count; those that are NotReady or on their way out use up the budget. */
function countPool(pool: NodePool, { nodeClaims, nodes }: DisruptionSnapshot): PoolCount {
  const members = nodeClaims.filter(
    ({ metadata, status }) =>
      metadata.labels?.[labels.nodePool] === pool.metadata.name &&
      isConditionTrue(status?.conditions, 'Initialized') &&
      !isConditionTrue(status?.conditions, 'InstanceTerminating'),
  )
  const busy = members.filter(({ metadata, status }) => {
    const node = nodes.find((each) => each.metadata.name === status?.nodeName)
    const isGoing = metadata.deletionTimestamp !== undefined || node?.metadata.deletionTimestamp !== undefined
    return isGoing || !isConditionTrue(node?.status?.conditions, 'Ready')
  })
  return { nodes: members.length, busy: busy.length }
}
