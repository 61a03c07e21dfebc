import { defaultZone } from '../api/names.ts'
import { hostKeyText } from '../hosts/host-record.ts'
import { hostSize } from '../node-claim/host-size.ts'
import type { ClaimedHost } from '../provisioning/snapshot.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { hostClassOf } from './inventory.ts'

/** Sizes of the hosts that NodeClaims hold, by uid of the NodeClaim: their status does not always tell yet. */
export function claimedHostsOf(world: ClusterWorld): ReadonlyMap<string, ClaimedHost> {
  const holders = new Map(world.nodeClaims.map((nodeClaim) => [nodeClaim.metadata.uid, nodeClaim]))
  const claimed = [...world.records.values()].flatMap((record) => {
    const nodeClaim = holders.get(record.claim?.uid ?? '')
    const sshHost = world.sshHosts.get(hostKeyText(record.key))
    if (nodeClaim === undefined || record.arch === undefined || sshHost === undefined) return []
    const nodeClass = world.nodeClasses.get(nodeClaim.spec.nodeClassRef.name)
    const { capacity = {}, allocatable = {} } = hostSize(sshHost, nodeClass)
    const { zone = defaultZone } = sshHost.spec
    const host = { hostClass: hostClassOf(sshHost), capacity, allocatable, arch: record.arch, zone }
    return [[nodeClaim.metadata.uid, host] as const]
  })
  return new Map(claimed)
}
