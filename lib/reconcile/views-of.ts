import type { Node } from '../api/node.ts'
import { rankHosts } from '../provisioning/rank-hosts.ts'
import type { NodeClaimView } from '../node-claim/node-claim-view.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { freeHostsOf } from './free-hosts.ts'
import { makeView } from './make-view.ts'
import type { ClusterScope } from './reconcile-deps.ts'

/** A view of each NodeClaim of the world, with the free hosts that it could take. */
export async function viewsOf(
  scope: ClusterScope,
  world: ClusterWorld,
  options: { readonly nodes: readonly Node[]; readonly isHeartbeat: boolean },
): Promise<readonly NodeClaimView[]> {
  const nowMs = scope.deps.clock.nowMs()
  const freeHosts = new Map(
    [...world.nodeClasses].map(([name, nodeClass]) => [name, freeHostsOf(world, nodeClass, nowMs)]),
  )
  return Promise.all(
    world.nodeClaims.map((nodeClaim) => {
      const free = freeHosts.get(nodeClaim.spec.nodeClassRef.name) ?? []
      const candidates = rankHosts(nodeClaim, free).map(({ key }) => key)
      return makeView(scope, world, nodeClaim, { ...options, candidates })
    }),
  )
}
