import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import type { Daemon } from './daemons.ts'
import { compareExisting, existingOf, noLoad, type Existing, type ExistingInputs } from './existing.ts'
import type { Reservations } from './in-flight.ts'
import { loadsOf } from './loads.ts'
import type { ProvisioningSnapshot } from './snapshot.ts'

/**
 * Nodes whoever made them, and NodeClaims whose Node is yet to come, a neighbor's too. What is being deleted is left out,
 * and so is a NodeClaim that no host is there for.
 */
export function lookAtExisting(
  snapshot: ProvisioningSnapshot,
  reservations: Reservations,
  daemons: readonly Daemon[],
): readonly Existing[] {
  const loads = loadsOf(snapshot.podShapes)
  const claimOf = claimFinder(snapshot.nodeClaims)
  const hostOf = (nodeClaim: NodeClaim | undefined) =>
    nodeClaim &&
    (snapshot.claimedHosts.get(nodeClaim.metadata.uid) ?? reservations.hosts.get(nodeClaim.metadata.uid))
  const onNodes = snapshot.nodes.map((node): ExistingInputs => {
    const nodeClaim = claimOf(node)
    return { node, nodeClaim, host: hostOf(nodeClaim), load: loads.get(node.metadata.name) ?? noLoad }
  })
  const withNode = new Set(onNodes.map(({ nodeClaim }) => nodeClaim?.metadata.uid))
  const toCome = snapshot.nodeClaims
    .filter(({ metadata }) => !withNode.has(metadata.uid))
    .map((nodeClaim): ExistingInputs => ({
      node: undefined,
      nodeClaim,
      host: hostOf(nodeClaim),
      load: noLoad,
    }))
  return [...onNodes, ...toCome]
    .filter(isStaying)
    .map((inputs) => existingOf(inputs, daemons))
    .filter((existing) => existing !== undefined)
    .sort(compareExisting)
}

function claimFinder(nodeClaims: readonly NodeClaim[]): (node: Node) => NodeClaim | undefined {
  const byProviderID = new Map(nodeClaims.map((each) => [each.status?.providerID ?? '', each]))
  return ({ spec }) => (spec?.providerID ? byProviderID.get(spec.providerID) : undefined)
}

function isStaying({ node, nodeClaim }: ExistingInputs): boolean {
  return node?.metadata.deletionTimestamp === undefined && nodeClaim?.metadata.deletionTimestamp === undefined
}
