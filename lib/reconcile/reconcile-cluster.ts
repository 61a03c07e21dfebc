// The wide path: the watcher told how the cluster looks. In order: inventory, readiness, the NodeClaims that exist, new
// NodeClaims for pods without a place, NodeClaims nobody needs any more, and what people see.
import { isOurNodeClassRef } from '../api/node-class-ref.ts'
import { nodeClaims } from '../kubernetes/resources.ts'
import type { ClusterObserved } from '../messages/cluster-observed.ts'
import { knowsBoundPods, withoutUnknownRoom } from './bound-pods.ts'
import { lookAtCluster, lookAtHosts, type ClusterWorld } from './cluster-world.ts'
import { disrupt } from './disrupt.ts'
import { holdHosts } from './hold-hosts.ts'
import { keepInventory } from './keep-inventory.ts'
import { projectHosts } from './project-hosts.ts'
import { provision } from './provision.ts'
import type { ReconcileCounts } from './reconcile.ts'
import type { ClusterScope } from './reconcile-deps.ts'
import { reportTwins } from './report-twins.ts'
import { runNodeClaims } from './run-node-claims.ts'
import { viewsOf } from './views-of.ts'
import { writeReadiness } from './write-readiness.ts'

export async function reconcileCluster(
  scope: ClusterScope,
  message: ClusterObserved,
): Promise<ReconcileCounts> {
  const { snapshot } = message
  await scope.deps.heartbeats.observed(scope.cluster, scope.deps.clock.nowMs(), message.clusterUid)
  const inventory = await keepInventory(scope, await lookAtCluster(scope, snapshot.sshHosts))
  const readiness = await writeReadiness(scope, inventory.world)
  const world = { ...inventory.world, ...readiness.world }
  const isHeartbeat = message.reason !== 'Changed'
  const lifecycle = await runNodeClaims(
    scope,
    await viewsOf(scope, world, { nodes: snapshot.nodes, isHeartbeat }),
  )
  const settled = await lookAgain(scope, world)
  const { nominated, counts } = await provision(scope, settled, withoutUnknownRoom(message))
  const disrupted = knowsBoundPods(message)
    ? await disrupt(scope, await lookAgain(scope, settled), { ...snapshot, nominated })
    : {}
  const sshHosts = [...world.sshHosts.values()]
  const records = await lookAtHosts(scope, sshHosts)
  const held = await holdHosts(scope, sshHosts, records)
  const projected = await projectHosts(scope, sshHosts, records)
  await reportTwins(scope, world.sshHosts, records)
  const objects = { held, projected }
  return { ...inventory.counts, ...readiness.counts, ...lifecycle, ...counts, ...disrupted, ...objects }
}

/** NodeClaims and hosts as they are after what was just done to them. */
async function lookAgain(scope: ClusterScope, world: ClusterWorld): Promise<ClusterWorld> {
  const [claims, records] = await Promise.all([
    scope.kubernetes.list(nodeClaims),
    lookAtHosts(scope, [...world.sshHosts.values()]),
  ])
  return { ...world, records, nodeClaims: claims.filter((each) => isOurNodeClassRef(each.spec.nodeClassRef)) }
}
