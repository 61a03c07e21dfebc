// Nodes that nobody needs any more go. Propose from the snapshot, keep new pods away, look again by a consistent read, act.
import { nodeClaimConditions, withCondition, withoutCondition, type Conditions } from '../api/condition.ts'
import { karpenterApiVersion, labels, taints } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import { isSameTaint } from '../api/taint.ts'
import type { Blocked } from '../disruption/candidates.ts'
import { isConsolidatable } from '../disruption/consolidatable.ts'
import { planEmptiness, type EmptyNode } from '../disruption/plan-emptiness.ts'
import { isStillEmpty } from '../disruption/revalidate-emptiness.ts'
import { nodeClaims, nodes, pods } from '../kubernetes/resources.ts'
import type { ClusterSnapshot } from '../messages/cluster-observed.ts'
import { disruptionPatch, taintRemovalPatch } from '../node-claim/node-patches.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { notePods } from './note-pods.ts'
import type { ReconcileCounts } from './reconcile.ts'
import type { ClusterScope } from './reconcile-deps.ts'
import { runNodeClaims } from './run-node-claims.ts'
import { viewsOf } from './views-of.ts'

export interface Disruptable extends Pick<ClusterSnapshot, 'nodes' | 'podShapes' | 'podDisruptionBudgets'> {
  /** Names of Nodes and NodeClaims that pending pods are expected on. */
  readonly nominated: ReadonlySet<string>
}

export async function disrupt(
  scope: ClusterScope,
  world: ClusterWorld,
  observed: Disruptable,
): Promise<ReconcileCounts> {
  const nowMs = scope.deps.clock.nowMs()
  const noted = await notePods(scope, world.nodeClaims, observed.podShapes)
  const claims = await markConsolidatable(scope, world, noted)
  const plan = planEmptiness({ ...observed, nodeClaims: claims, nodePools: world.nodePools }, nowMs)
  await tellBlocked(scope, plan.blocked)
  await clearStaleTaints(scope, claims, { nodes: observed.nodes, chosen: plan.empty })
  const going: NodeClaim[] = []
  for (const empty of plan.empty) {
    const nodeClaim = await remove(scope, empty)
    if (nodeClaim !== undefined) going.push(nodeClaim)
  }
  if (going.length === 0) return {}
  const views = await viewsOf(
    scope,
    { ...world, nodeClaims: going },
    { nodes: observed.nodes, isHeartbeat: false },
  )
  return { ...(await runNodeClaims(scope, views)), emptied: going.length }
}

async function markConsolidatable(
  scope: ClusterScope,
  world: ClusterWorld,
  claims: readonly NodeClaim[],
): Promise<readonly NodeClaim[]> {
  const marked: NodeClaim[] = []
  for (const nodeClaim of claims) {
    const conditions = planConsolidatable(nodeClaim, world, scope.deps.clock.nowMs())
    const patch = {
      metadata: { resourceVersion: nodeClaim.metadata.resourceVersion },
      status: { conditions },
    }
    const outcome =
      conditions === undefined
        ? undefined
        : await scope.kubernetes.patch(nodeClaims, nodeClaim.metadata.name, patch, { subresource: 'status' })
    marked.push(outcome?.kind === 'patched' ? outcome.object : nodeClaim)
  }
  return marked
}

function planConsolidatable(
  nodeClaim: NodeClaim,
  world: ClusterWorld,
  nowMs: number,
): Conditions | undefined {
  const before = nodeClaim.status?.conditions ?? []
  if (nodeClaim.metadata.deletionTimestamp !== undefined) return undefined
  const poolName = nodeClaim.metadata.labels?.[labels.nodePool]
  const pool = world.nodePools.find(({ metadata }) => metadata.name === poolName)
  const context = { set: nodeClaimConditions, object: nodeClaim.metadata, nowMs }
  const after = isConsolidatable(nodeClaim, pool, nowMs)
    ? withCondition(before, { type: 'Consolidatable', status: 'True' }, context)
    : withoutCondition(before, 'Consolidatable')
  return after === before ? undefined : after
}

/** Returns the NodeClaim as it is once its deletion began; undefined if the Node was not empty after all, or a rival was faster. */
async function remove(scope: ClusterScope, empty: EmptyNode): Promise<NodeClaim | undefined> {
  const { kubernetes, log } = scope
  const node = await kubernetes.get(nodes, empty.nodeName)
  if (node === undefined) return undefined
  const patch = disruptionPatch(node)
  if (patch !== undefined && (await kubernetes.patch(nodes, empty.nodeName, patch)).kind !== 'patched')
    return undefined
  const bound = await kubernetes.list(pods, { fieldSelector: `spec.nodeName=${empty.nodeName}` })
  if (!isStillEmpty(bound, scope.deps.clock.nowMs())) {
    log.info('disruption.spared', { nodeName: empty.nodeName, pods: bound.length })
    await untaint(scope, empty.nodeName)
    return undefined
  }
  const { name, uid } = empty.nodeClaim.metadata
  await scope.deps.events.record({
    cluster: scope.cluster,
    object: { apiVersion: karpenterApiVersion, kind: 'NodeClaim', name, uid },
    type: 'Normal',
    reason: 'DisruptionTerminating',
    message: `Node "${empty.nodeName}" is empty`,
  })
  if ((await kubernetes.delete(nodeClaims, name, { uid })) !== 'deleted') return undefined
  return kubernetes.get(nodeClaims, name)
}

/** A taint that a crashed activation left on a Node which nobody is taking away. */
async function clearStaleTaints(
  scope: ClusterScope,
  claims: readonly NodeClaim[],
  { nodes: seen, chosen }: { readonly nodes: readonly Node[]; readonly chosen: readonly EmptyNode[] },
): Promise<void> {
  for (const { metadata, status } of claims) {
    const node = seen.find((each) => each.metadata.name === status?.nodeName)
    if (node === undefined || metadata.deletionTimestamp !== undefined) continue
    const isTainted = (node.spec?.taints ?? []).some((taint) => isSameTaint(taint, taints.disrupted))
    const isChosen = chosen.some(({ nodeName }) => nodeName === node.metadata.name)
    if (isTainted && !isChosen) await untaint(scope, node.metadata.name)
  }
}

async function untaint({ kubernetes }: ClusterScope, nodeName: string): Promise<void> {
  const node = await kubernetes.get(nodes, nodeName)
  if (node !== undefined) await kubernetes.patch(nodes, nodeName, taintRemovalPatch(node))
}

async function tellBlocked({ deps, cluster }: ClusterScope, blocked: readonly Blocked[]): Promise<void> {
  for (const { candidate, why } of blocked) {
    const { name, uid } = candidate.nodeClaim.metadata
    await deps.events.record({
      cluster,
      object: { apiVersion: karpenterApiVersion, kind: 'NodeClaim', name, uid },
      type: 'Normal',
      reason: 'DisruptionBlocked',
      message: `The Node is empty and stays: ${why}`,
    })
  }
}
