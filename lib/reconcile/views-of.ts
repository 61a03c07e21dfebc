import type { Node } from '../api/node.ts'
import type { NodeClaimView } from '../node-claim/node-claim-view.ts'
import type { FreeHost } from '../provisioning/free-host.ts'
import { reserveHosts } from '../provisioning/in-flight.ts'
import { claimedHostsOf } from './claimed-hosts.ts'
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
  const choices = choicesIn(world, scope.deps.clock.nowMs())
  return Promise.all(
    world.nodeClaims.map((nodeClaim) => {
      const candidates = (choices.get(nodeClaim.metadata.uid) ?? []).map(({ key }) => key)
      return makeView(scope, world, { ...options, nodeClaim, candidates })
    }),
  )
}

/** NodeClaims that could take the same hosts each begin with another one, so that they do not lose them to each other. */
function choicesIn(world: ClusterWorld, nowMs: number): ReadonlyMap<string, readonly FreeHost[]> {
  const freeHosts = new Map(
    [...world.nodeClasses].map(([name, nodeClass]) => [name, freeHostsOf(world, nodeClass, nowMs)]),
  )
  const { nodeClaims } = world
  return reserveHosts({ nodeClaims, freeHosts, claimedHosts: claimedHostsOf(world) }).choices
}
