// Which Nodes stand for a host. The agent may have registered under the name we gave it, under one of its own, or with no
// providerID at all, so three marks are asked in turn. A Node that another host or another NodeClaim stands behind is never
// this host's, whatever its address says.
import { isSameIP } from '../api/ip-address.ts'
import { karpenterGroup, providerIDScheme } from '../api/names.ts'
import type { Node } from '../api/node.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { staticProviderID } from '../hosts/provider-id.ts'

/** Every Node that this host registered and nobody else owns. */
export function ownNodes(nodes: readonly Node[], host: HostRecord): readonly Node[] {
  const identity = identityOf(host)
  return nodes.filter((node) => isFree(node, identity) && isMarked(node, identity))
}

/** A Node of the name that a join would take, and not this host's own: the join must not start. */
export function isNameTaken(node: Node | undefined, host: HostRecord): boolean {
  return node !== undefined && !identityOf(host).providerIDs.includes(providerIDOf(node))
}

interface Identity {
  readonly providerIDs: readonly string[]
  /** False while the Node of an adopting host was not seen: it may bring any providerID. */
  readonly isProviderIDKnown: boolean
  readonly nodeNames: readonly string[]
  readonly claimUid: string | undefined
  readonly address: string
}

function identityOf(host: HostRecord): Identity {
  const names = [host.nodeName, host.claim?.nodeClaim]
  return {
    providerIDs: [staticProviderID(host.key), ...(host.providerID === undefined ? [] : [host.providerID])],
    isProviderIDKnown: host.providerID !== undefined,
    nodeNames: names.filter((name) => name !== undefined),
    claimUid: host.claim?.uid,
    address: host.nodeAddress ?? host.address,
  }
}

function isMarked(node: Node, { providerIDs, nodeNames, address }: Identity): boolean {
  if (providerIDs.includes(providerIDOf(node))) return true
  if (nodeNames.includes(node.metadata.name)) return true
  return (node.status?.addresses ?? []).some(
    (seen) => seen.type === 'InternalIP' && isSameIP(seen.address, address),
  )
}

/** Neither another host's nor another NodeClaim's. */
function isFree(node: Node, { providerIDs, isProviderIDKnown, claimUid }: Identity): boolean {
  const seen = providerIDOf(node)
  const isOurs = seen === '' || providerIDs.includes(seen)
  const isForeignID = !isOurs && (isProviderIDKnown || seen.startsWith(providerIDScheme))
  const owner = node.metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'NodeClaim' && apiVersion.startsWith(`${karpenterGroup}/`),
  )
  const isForeignOwned = owner !== undefined && claimUid !== undefined && owner.uid !== claimUid
  return !isForeignID && !isForeignOwned
}

function providerIDOf(node: Node): string {
  return node.spec?.providerID ?? ''
}
