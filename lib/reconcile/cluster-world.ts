// Everything one activation decides from: the watcher's snapshot, with consistent reads in place of what must be fresh.
import type { NodeClaim } from '../api/node-claim.ts'
import type { NodePool } from '../api/node-pool.ts'
import { isOurNodeClassRef } from '../api/node-class-ref.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { nodeClaims, nodePools, sshJoinProfiles, sshNodeClasses } from '../kubernetes/resources.ts'
import { hostKeyOf } from './inventory.ts'
import { judgeClass, type ClassVerdict } from './judge-class.ts'
import type { ClusterScope } from './reconcile-deps.ts'

export interface ClusterWorld {
  /** Ours alone; a neighbor's objects are not touched. */
  readonly nodeClaims: readonly NodeClaim[]
  readonly nodePools: readonly NodePool[]
  readonly nodeClasses: ReadonlyMap<string, SSHNodeClass>
  readonly verdicts: ReadonlyMap<string, ClassVerdict>
  readonly profiles: ReadonlyMap<string, SSHJoinProfile>
  /** Of the pool namespace. */
  readonly sshHosts: ReadonlyMap<string, SSHHost>
  readonly records: ReadonlyMap<string, HostRecord>
}

export async function lookAtCluster(
  scope: ClusterScope,
  sshHosts: readonly SSHHost[],
): Promise<ClusterWorld> {
  const { kubernetes, pools } = scope
  const inNamespace = sshHosts.filter((sshHost) => sshHost.metadata.namespace === pools.namespace)
  const [claims, allPools, classes, profiles, records] = await Promise.all([
    kubernetes.list(nodeClaims),
    kubernetes.list(nodePools),
    kubernetes.list(sshNodeClasses),
    kubernetes.list(sshJoinProfiles),
    lookAtHosts(scope, inNamespace),
  ])
  const profileByName = byName(profiles)
  const nowMs = scope.deps.clock.nowMs()
  const envelopeOf = (sshHost: SSHHost) => records.get(hostKeyText(hostKeyOf(sshHost, pools)))?.envelope
  const around = { sshHosts: inNamespace, nowMs, envelopeOf }
  return {
    nodeClaims: claims.filter((each) => isOurNodeClassRef(each.spec.nodeClassRef)),
    nodePools: allPools.filter((pool) => isOurNodeClassRef(pool.spec.template.spec.nodeClassRef)),
    nodeClasses: byName(classes),
    verdicts: new Map(
      classes.map((each) => [
        each.metadata.name,
        judgeClass(each, profileByName.get(each.spec.joinProfileRef.name), around),
      ]),
    ),
    profiles: profileByName,
    sshHosts: new Map(inNamespace.map((sshHost) => [hostKeyText(hostKeyOf(sshHost, pools)), sshHost])),
    records,
  }
}

/** Every record of every pool that the inventory names, and of the default pool. */
export async function lookAtHosts(
  scope: ClusterScope,
  sshHosts: readonly SSHHost[],
): Promise<ReadonlyMap<string, HostRecord>> {
  const { pools, deps } = scope
  const names = new Set([pools.defaultPool, ...sshHosts.map((sshHost) => hostKeyOf(sshHost, pools).pool)])
  const lists = await Promise.all([...names].map((pool) => deps.hosts.list(pool)))
  return new Map(lists.flat().map((record) => [hostKeyText(record.key), record]))
}

function byName<T extends { readonly metadata: { readonly name: string } }>(
  objects: readonly T[],
): Map<string, T> {
  return new Map(objects.map((object) => [object.metadata.name, object]))
}
