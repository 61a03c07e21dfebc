// Which free host a NodeClaim takes: the smallest that fits, so that larger ones stay free for pods that need them.
import { amountsOf, fits } from '../api/amounts.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import { compareQuantities } from '../api/quantity.ts'
import { hostLabels, type FreeHost } from './free-host.ts'
import { disjointKey, requirementsOf, requirementsOfLabels } from './requirements.ts'

/** The hosts that fit, best first; empty if none does. Throws SpecError for requirements that nobody can read. */
export function rankHosts(
  nodeClaim: Pick<NodeClaim, 'spec'>,
  hosts: readonly FreeHost[],
): readonly FreeHost[] {
  const requirements = requirementsOf(nodeClaim.spec.requirements)
  const requests = amountsOf(nodeClaim.spec.resources?.requests)
  return hosts
    .filter((host) => disjointKey(requirementsOfLabels(hostLabels(host)), requirements) === undefined)
    .filter((host) => fits(requests, amountsOf(host.allocatable)))
    .sort(compareHosts)
}

/** By CPUs, then memory, then fewest failures, then age, then name: a total order. */
export function compareHosts(a: FreeHost, b: FreeHost): number {
  return (
    compareQuantities(a.allocatable['cpu'] ?? '0', b.allocatable['cpu'] ?? '0') ||
    compareQuantities(a.allocatable['memory'] ?? '0', b.allocatable['memory'] ?? '0') ||
    a.failureCount - b.failureCount ||
    compareText(a.createdAt, b.createdAt) ||
    compareText(a.text, b.text)
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
