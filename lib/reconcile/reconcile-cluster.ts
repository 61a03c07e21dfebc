// The wide path: the watcher told how the cluster looks. In order: inventory, readiness, the NodeClaims that exist, new
// NodeClaims for pods without a place, NodeClaims nobody needs any more, and what people see.
import type { Node } from '../api/node.ts'
import type { ClusterObserved } from '../messages/cluster-observed.ts'
import { applyInventory } from './apply-inventory.ts'
import { lookAtCluster, lookAtHosts, type ClusterWorld } from './cluster-world.ts'
import { disrupt } from './disrupt.ts'
import { freeHostsOf } from './free-hosts.ts'
import { makeView } from './make-view.ts'
import { planInventory } from './plan-inventory.ts'
import { projectHosts } from './project-hosts.ts'
import { provision } from './provision.ts'
import type { ReconcileCounts } from './reconcile.ts'
import type { ClusterScope } from './reconcile-deps.ts'
import { runNodeClaims } from './run-node-claims.ts'
import { writeReadiness } from './write-readiness.ts'
import { rankHosts } from '../provisioning/rank-hosts.ts'

export async function reconcileCluster(
  scope: ClusterScope,
  message: ClusterObserved,
): Promise<ReconcileCounts> {
  const { deps, cluster, pools } = scope
  const { snapshot } = message
  await deps.heartbeats.observed(cluster, deps.clock.nowMs(), message.clusterUid)
  const looked = await lookAtCluster(scope, snapshot.sshHosts)
  const inventory = await applyInventory(
    scope,
    planInventory(
      {
        cluster,
        pools,
        sshHosts: [...looked.sshHosts.values()],
        records: looked.records,
        agentUnits: new Map(
          [...looked.profiles.values()].map((each) => [each.metadata.name, each.spec.agentUnits]),
        ),
      },
      deps.clock.nowMs(),
    ),
  )
  const readiness = await writeReadiness(scope, looked)
  const world = { ...looked, ...readiness.world, records: await lookAtHosts(scope, snapshot.sshHosts) }
  const isHeartbeat = message.reason !== 'Changed'
  const lifecycle = await runNodeClaims(
    scope,
    await viewsOf(scope, world, { nodes: snapshot.nodes, isHeartbeat }),
  )
  const provisioned = await provision(scope, snapshot)
  const disrupted = await disrupt(scope, snapshot)
  const projected = await projectHosts(
    scope,
    [...world.sshHosts.values()],
    await lookAtHosts(scope, snapshot.sshHosts),
  )
  return { ...inventory, ...readiness.counts, ...lifecycle, ...provisioned, ...disrupted, projected }
}

export async function viewsOf(
  scope: ClusterScope,
  world: ClusterWorld,
  options: { readonly nodes: readonly Node[]; readonly isHeartbeat: boolean },
) {
  const nowMs = scope.deps.clock.nowMs()
  return Promise.all(
    world.nodeClaims.map((nodeClaim) => {
      const nodeClass = world.nodeClasses.get(nodeClaim.spec.nodeClassRef.name)
      const free = nodeClass === undefined ? [] : freeHostsOf(world, nodeClass, nowMs)
      const candidates = rankHosts(nodeClaim, free).map(({ key }) => key)
      return makeView(scope, world, nodeClaim, { ...options, candidates })
    }),
  )
}
