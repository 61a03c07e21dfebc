// Which free host a NodeClaim takes: the smallest that fits, so that larger ones stay free for pods that need them.
import { amountsOf, fits } from '../api/amounts.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { FreeHost } from './free-host.ts'
import { oncePerShape, shapesOf, type HostShape, type ShapeOf } from './host-shape.ts'
import { disjointKey, requirementsOf } from './requirements.ts'

type Wish = Pick<NodeClaim, 'spec'>

/** The hosts that fit, best first; empty if none does. Throws SpecError for requirements that nobody can read. */
export type Ranking = (nodeClaim: Wish) => readonly FreeHost[]

/** For many NodeClaims that choose among the same hosts. */
export function makeRanking(hosts: readonly FreeHost[]): Ranking {
  const shapeOf = shapesOf(hosts)
  const inOrder = bestFirst(hosts, shapeOf)
  return ({ spec }) => {
    const requirements = requirementsOf(spec.requirements)
    const requests = amountsOf(spec.resources?.requests)
    const isFitting = oncePerShape<HostShape, boolean>(
      (shape) =>
        disjointKey(shape.requirements, requirements) === undefined && fits(requests, shape.allocatable),
    )
    return inOrder.filter((host) => isFitting(shapeOf(host)))
  }
}

export function rankHosts(nodeClaim: Wish, hosts: readonly FreeHost[]): readonly FreeHost[] {
  return makeRanking(hosts)(nodeClaim)
}

/** By CPUs, then memory, then fewest failures, then age, then name: a total order. */
export function bestFirst(hosts: readonly FreeHost[], shapeOf: ShapeOf): readonly FreeHost[] {
  const sizeOf = (host: FreeHost, name: string) => shapeOf(host).allocatable.get(name) ?? 0n
  return [...hosts].sort(
    (a, b) =>
      compare(sizeOf(a, 'cpu'), sizeOf(b, 'cpu')) ||
      compare(sizeOf(a, 'memory'), sizeOf(b, 'memory')) ||
      a.failureCount - b.failureCount ||
      compare(a.createdAt, b.createdAt) ||
      compare(a.text, b.text),
  )
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
