// New NodeClaims for pods that found no place: planned from the snapshot with NodeClaims, pools and hosts read again, made,
// and launched at once.
import type { Random } from '../ambient/ports.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import { nodeClaims as nodeClaimResource } from '../kubernetes/resources.ts'
import type { ClusterSnapshot } from '../messages/cluster-observed.ts'
import { nodeClaimManifest } from '../provisioning/node-claim-object.ts'
import type { Nomination } from '../provisioning/packing.ts'
import { planProvisioning, type PlannedNodeClaim } from '../provisioning/plan-provisioning.ts'
import { claimedHostsOf } from './claimed-hosts.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { freeHostsOf } from './free-hosts.ts'
import type { ReconcileCounts } from './reconcile.ts'
import type { ClusterScope } from './reconcile-deps.ts'
import { reportPods } from './report-pods.ts'
import { runNodeClaims } from './run-node-claims.ts'
import { viewsOf } from './views-of.ts'

export interface Provisioned {
  readonly counts: ReconcileCounts
  /** Names of Nodes and NodeClaims that pending pods are expected on. */
  readonly nominated: ReadonlySet<string>
}

export async function provision(
  scope: ClusterScope,
  world: ClusterWorld,
  snapshot: ClusterSnapshot,
): Promise<Provisioned> {
  if (snapshot.pendingPods.length === 0) return { counts: {}, nominated: new Set() }
  const { deps, kubernetes, log } = scope
  const nowMs = deps.clock.nowMs()
  const classes = [...world.nodeClasses.values()]
  const foreignPools = snapshot.nodePools.filter(
    (pool) => !world.nodePools.some((ours) => ours.metadata.name === pool.metadata.name),
  )
  const plan = planProvisioning({
    ...snapshot,
    nodePools: [...world.nodePools, ...foreignPools],
    nodeClaims: [...(await kubernetes.list(nodeClaimResource))],
    freeHosts: new Map(classes.map((each) => [each.metadata.name, freeHostsOf(world, each, nowMs)])),
    claimedHosts: claimedHostsOf(world),
  })
  plan.problems.forEach((problem) => log.warn('provisioning.unreadable', { problem }))
  const created: NodeClaim[] = []
  const promised: Nomination[] = []
  for (const planned of plan.nodeClaims) {
    const nodeClaim = await create(scope, planned)
    if (nodeClaim === undefined) continue
    created.push(nodeClaim)
    promised.push(...planned.pods.map((podUid) => ({ podUid, target: nodeClaim.metadata.name })))
  }
  const launch = { ...world, nodeClaims: created }
  const counts = await runNodeClaims(
    scope,
    await viewsOf(scope, launch, { nodes: snapshot.nodes, isHeartbeat: false }),
  )
  const nominations = [...plan.nominations, ...promised]
  await reportPods(scope, snapshot.pendingPods, { nominations, unplaced: plan.unplaced })
  return {
    counts: { ...counts, created: created.length, unplaced: plan.unplaced.length },
    nominated: new Set(nominations.map(({ target }) => target)),
  }
}

async function create(scope: ClusterScope, planned: PlannedNodeClaim): Promise<NodeClaim | undefined> {
  const { deps, kubernetes, log } = scope
  const manifest = nodeClaimManifest(planned.body, nameSuffix(deps.random))
  const outcome = await kubernetes.create(nodeClaimResource, manifest)
  if (outcome.kind === 'created') {
    const { name } = outcome.object.metadata
    log.info('nodeclaim.created', { nodeClaim: name, nodePool: planned.nodePool, pods: planned.pods.length })
    return outcome.object
  }
  const message = outcome.kind === 'invalid' ? outcome.message : 'the name is taken'
  log.warn('nodeclaim.not-created', { nodePool: planned.nodePool, message })
  return undefined
}

/** The letters and digits that generateName uses: no vowels, so no words. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

export function nameSuffix(random: Random): string {
  return Array.from({ length: 5 }, () => suffixAlphabet[random.below(suffixAlphabet.length)]).join('')
}
