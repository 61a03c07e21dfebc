// The table follows the inventory. Proposed from the snapshot; if there is anything to do, the SSHHosts are read again and only
// what they say is done: a snapshot may be older than a status that a record is made from, or than an SSHHost that it lacks.
import { sshHosts as sshHostResource } from '../kubernetes/resources.ts'
import { applyInventory } from './apply-inventory.ts'
import { lookAtCluster, lookAtHosts, type ClusterWorld } from './cluster-world.ts'
import { planInventory, type InventoryAction } from './plan-inventory.ts'
import type { ReconcileCounts } from './reconcile.ts'
import type { ClusterScope } from './reconcile-deps.ts'

export async function keepInventory(
  scope: ClusterScope,
  looked: ClusterWorld,
): Promise<{ readonly world: ClusterWorld; readonly counts: ReconcileCounts }> {
  if (plan(scope, looked).length === 0) return { world: looked, counts: {} }
  const { namespace } = scope.pools
  const fresh = await lookAtCluster(scope, await scope.kubernetes.list(sshHostResource, { namespace }))
  const counts = await applyInventory(scope, plan(scope, fresh))
  const records = await lookAtHosts(scope, [...fresh.sshHosts.values()])
  return { world: { ...fresh, records }, counts }
}

function plan({ deps, cluster, pools }: ClusterScope, world: ClusterWorld): readonly InventoryAction[] {
  const { records, nodeClaims } = world
  const agentUnits = new Map(
    [...world.profiles.values()].map(({ metadata, spec }) => [metadata.name, spec.agentUnits]),
  )
  const sshHosts = [...world.sshHosts.values()]
  return planInventory({ cluster, pools, sshHosts, records, nodeClaims, agentUnits }, deps.clock.nowMs())
}
