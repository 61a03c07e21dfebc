// NodeClaims that have no host yet will each take one: which, so that nothing else counts on it.
import type { NodeClaim } from '../api/node-claim.ts'
import { isOurNodeClassRef } from '../api/node-class-ref.ts'
import type { FreeHost } from './free-host.ts'
import { rankHosts } from './rank-hosts.ts'
import type { ProvisioningSnapshot } from './snapshot.ts'

export interface Reservations {
  /** By uid of the NodeClaim. */
  readonly hosts: ReadonlyMap<string, FreeHost>
  /** Free hosts that are left, by name of the node class. */
  readonly freeHosts: ReadonlyMap<string, readonly FreeHost[]>
}

/** In the order in which they were made, then by name, each the host that launching would give it. */
export function reserveHosts(snapshot: ProvisioningSnapshot): Reservations {
  const hosts = new Map<string, FreeHost>()
  const taken = new Set<string>()
  for (const nodeClaim of snapshot.nodeClaims.filter((each) => isWaiting(each, snapshot)).sort(byAge)) {
    const ofClass = snapshot.freeHosts.get(nodeClaim.spec.nodeClassRef.name) ?? []
    const [host] = rankHosts(
      nodeClaim,
      ofClass.filter(({ text }) => !taken.has(text)),
    )
    if (host === undefined) continue
    hosts.set(nodeClaim.metadata.uid, host)
    taken.add(host.text)
  }
  const rest = [...snapshot.freeHosts].map(
    ([name, free]) => [name, free.filter(({ text }) => !taken.has(text))] as const,
  )
  return { hosts, freeHosts: new Map(rest) }
}

/** Ours, staying, and without a host. */
function isWaiting({ metadata, spec, status }: NodeClaim, { claimedHosts }: ProvisioningSnapshot): boolean {
  return (
    isOurNodeClassRef(spec.nodeClassRef) &&
    metadata.deletionTimestamp === undefined &&
    status?.allocatable === undefined &&
    !claimedHosts.has(metadata.uid)
  )
}

function byAge(a: NodeClaim, b: NodeClaim): number {
  const [one, other] = [a.metadata, b.metadata].map(
    ({ creationTimestamp, name }) => `${creationTimestamp} ${name}`,
  )
  return (one ?? '') < (other ?? '') ? -1 : 1
}
