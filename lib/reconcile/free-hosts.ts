// Which hosts a NodeClaim of a class could take now.
import { defaultZone } from '../api/names.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { isClaimable } from '../hosts/claimable.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { hostSize } from '../node-claim/host-size.ts'
import type { FreeHost } from '../provisioning/free-host.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { findTwins } from './find-twins.ts'
import { hostClassOf } from './inventory.ts'
import { selectorOf } from './judge-class.ts'

/** Empty for a class that is not Ready. */
export function freeHostsOf(
  world: ClusterWorld,
  nodeClass: SSHNodeClass,
  nowMs: number,
): readonly FreeHost[] {
  if (world.verdicts.get(nodeClass.metadata.name)?.status !== 'True') return []
  const selects = selectorOf(nodeClass)
  const twins = findTwins([...world.records.values()])
  return [...world.sshHosts].flatMap(([text, sshHost]) => {
    const { deletionTimestamp, labels = {} } = sshHost.metadata
    if (deletionTimestamp !== undefined || twins.has(text) || !selects(labels)) return []
    const record = world.records.get(text)
    if (record === undefined || !isClaimable(record, nowMs)) return []
    return freeHostOf(sshHost, nodeClass, record) ?? []
  })
}

/** undefined while nobody knows the architecture. */
function freeHostOf(sshHost: SSHHost, nodeClass: SSHNodeClass, record: HostRecord): FreeHost | undefined {
  if (record.arch === undefined) return undefined
  const { allocatable = {}, capacity = {} } = hostSize(sshHost, nodeClass)
  return {
    key: record.key,
    text: hostKeyText(record.key),
    hostClass: hostClassOf(sshHost),
    capacity,
    allocatable,
    arch: record.arch,
    zone: sshHost.spec.zone ?? defaultZone,
    createdAt: sshHost.metadata.creationTimestamp,
    failureCount: record.failures?.count ?? 0,
  }
}
