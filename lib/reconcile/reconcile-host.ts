// The narrow path: a phase ended on one host, so only its NodeClaim and its SSHHost are looked at, all by consistent reads.
// Nothing is provisioned or disrupted here; that needs the whole cluster.
import { providerIDScheme } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import { isOurNodeClassRef } from '../api/node-class-ref.ts'
import type { Node } from '../api/node.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { staticProviderID } from '../hosts/provider-id.ts'
import { nodeClaims, nodes, sshHosts, sshJoinProfiles, sshNodeClasses } from '../kubernetes/resources.ts'
import type { HostChanged } from '../messages/run-phase.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { holdHosts } from './hold-hosts.ts'
import { hostKeyOf } from './inventory.ts'
import { judgeClass } from './judge-class.ts'
import { makeView } from './make-view.ts'
import { projectHosts } from './project-hosts.ts'
import type { ReconcileCounts } from './reconcile.ts'
import type { ClusterScope } from './reconcile-deps.ts'
import { runNodeClaims } from './run-node-claims.ts'

export async function reconcileHost(scope: ClusterScope, message: HostChanged): Promise<ReconcileCounts> {
  const record = await scope.deps.hosts.get(message.host)
  if (record === undefined) return { unknownHost: 1 }
  const claims = await claimsOf(scope, record)
  const world = await lookAround(scope, record, claims)
  const views = await Promise.all(
    claims.map(async (nodeClaim) =>
      makeView(scope, world, {
        nodeClaim,
        nodes: await nodesFor(scope, nodeClaim, world),
        candidates: [],
        isHeartbeat: false,
      }),
    ),
  )
  const counts = await runNodeClaims(scope, views)
  const after = await scope.deps.hosts.get(message.host)
  const sshHostsKnown = [...world.sshHosts.values()]
  const records = new Map(after === undefined ? [] : [[hostKeyText(after.key), after]])
  const held = await holdHosts(scope, sshHostsKnown, records)
  return { ...counts, held, projected: await projectHosts(scope, sshHostsKnown, records) }
}

/** The NodeClaim that holds the host, or those that had it and wait for its departure. */
async function claimsOf(scope: ClusterScope, record: HostRecord): Promise<readonly NodeClaim[]> {
  if (record.claim !== undefined) {
    if (record.claim.cluster !== scope.cluster) return []
    const nodeClaim = await scope.kubernetes.get(nodeClaims, record.claim.nodeClaim)
    return nodeClaim?.metadata.uid === record.claim.uid ? [nodeClaim] : []
  }
  const all = await scope.kubernetes.list(nodeClaims)
  const ours = all.filter((each) => isOurNodeClassRef(each.spec.nodeClassRef))
  const isHolder = await Promise.all(ours.map((each) => hadHost(scope, each, record)))
  return ours.filter((_each, index) => isHolder[index])
}

/** A providerID of ours names the host; for any other the binding does, which is asked where it can matter. */
async function hadHost(
  { deps }: ClusterScope,
  { metadata, status }: NodeClaim,
  record: HostRecord,
): Promise<boolean> {
  const providerID = status?.providerID ?? ''
  if (providerID.startsWith(providerIDScheme)) return providerID === staticProviderID(record.key)
  if (metadata.uid === record.failures?.nodeClaimUid) return true
  if (metadata.deletionTimestamp === undefined) return false
  const bound = await deps.bindings.get(metadata.uid)
  return bound !== undefined && hostKeyText(bound) === hostKeyText(record.key)
}

async function lookAround(
  scope: ClusterScope,
  record: HostRecord,
  claims: readonly NodeClaim[],
): Promise<ClusterWorld> {
  const { kubernetes } = scope
  const sshHost = await kubernetes.get(sshHosts, record.key.name, record.key.namespace)
  const classNames = [...new Set(claims.map((each) => each.spec.nodeClassRef.name))]
  const classes = await present(classNames, (name) => kubernetes.get(sshNodeClasses, name))
  const profileNames = [...new Set([...classes.values()].map((each) => each.spec.joinProfileRef.name))]
  const profiles = await present(profileNames, (name) => kubernetes.get(sshJoinProfiles, name))
  // One of the same name may have been made for another pool meanwhile.
  const isOfHost =
    sshHost !== undefined && hostKeyText(hostKeyOf(sshHost, scope.pools)) === hostKeyText(record.key)
  const known = isOfHost ? [sshHost] : []
  const around = { sshHosts: known, nowMs: scope.deps.clock.nowMs(), envelopeOf: () => record.envelope }
  return {
    nodeClaims: claims,
    nodePools: [],
    nodeClasses: classes,
    verdicts: new Map(
      [...classes].map(([name, each]) => [
        name,
        judgeClass(each, profiles.get(each.spec.joinProfileRef.name), around),
      ]),
    ),
    profiles,
    sshHosts: new Map(known.map((each) => [hostKeyText(record.key), each])),
    records: new Map([[hostKeyText(record.key), record]]),
  }
}

async function present<T>(
  names: readonly string[],
  get: (name: string) => Promise<T | undefined>,
): Promise<ReadonlyMap<string, T>> {
  const found = await Promise.all(names.map(async (name) => [name, await get(name)] as const))
  return new Map(found.flatMap(([name, object]) => (object === undefined ? [] : [[name, object] as const])))
}

async function nodesFor(
  scope: ClusterScope,
  nodeClaim: NodeClaim,
  world: ClusterWorld,
): Promise<readonly Node[]> {
  const isAdopted = world.nodeClasses.get(nodeClaim.spec.nodeClassRef.name)?.spec.providerIDSource === 'Adopt'
  const name = nodeClaim.status?.nodeName ?? (isAdopted ? undefined : nodeClaim.metadata.name)
  if (name === undefined) return scope.kubernetes.list(nodes)
  const node = await scope.kubernetes.get(nodes, name)
  return node === undefined ? [] : [node]
}
