// Gathers what one NodeClaim's lifecycle decides from.
import { isSameIP } from '../api/ip-address.ts'
import { parseDurationMs } from '../api/duration.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { hostKeyText, type HostKey, type HostRecord } from '../hosts/host-record.ts'
import { nodes as nodeResource } from '../kubernetes/resources.ts'
import { isTrue, type NodeClaimView } from '../node-claim/node-claim-view.ts'
import { profileMarker, timeoutMs, varsDigest } from '../profile/profile.ts'
import type { ClusterWorld } from './cluster-world.ts'
import type { ClusterScope } from './reconcile-deps.ts'

export interface ViewRequest {
  readonly nodeClaim: NodeClaim
  readonly nodes: readonly Node[]
  readonly candidates: readonly HostKey[]
  readonly isHeartbeat: boolean
}

/** Beyond the phases' own budgets: kubelet start, certificate, first status. */
const registrationMarginMs = 5 * 60_000

export async function makeView(
  scope: ClusterScope,
  world: ClusterWorld,
  { nodeClaim, nodes, candidates, isHeartbeat }: ViewRequest,
): Promise<NodeClaimView> {
  const hosts = await hostsOf(scope, world, nodeClaim.metadata.uid)
  const wants = wantsOf(world, nodeClaim)
  const seen = nodesOf(nodeClaim, nodes, { ...hosts, ...wants })
  return {
    nodeClaim,
    ...hosts,
    ...wants,
    sshHosts: world.sshHosts,
    nodes: seen.length > 0 ? seen : await proveAbsence(scope, nodeClaim),
    candidates: hosts.isBound ? [] : candidates,
    isHeartbeat,
  }
}

async function hostsOf(
  scope: ClusterScope,
  world: ClusterWorld,
  uid: string,
): Promise<Pick<NodeClaimView, 'host' | 'boundTo' | 'isBound'>> {
  const held = [...world.records.values()].find((record) => record.claim?.uid === uid)
  if (held !== undefined) return { host: held, boundTo: held, isBound: true }
  const key = await scope.deps.bindings.get(uid)
  const boundTo = key && (await recordOf(scope, world, key))
  const host = boundTo?.claim?.uid === uid ? boundTo : undefined
  return { host, boundTo, isBound: key !== undefined }
}

/** What its class and that class's profile ask for. */
function wantsOf(
  world: ClusterWorld,
  { spec }: NodeClaim,
): Pick<NodeClaimView, 'nodeClass' | 'classReady' | 'wanted' | 'registrationTimeoutMs'> {
  const nodeClass = world.nodeClasses.get(spec.nodeClassRef.name)
  const profile = nodeClass && world.profiles.get(nodeClass.spec.joinProfileRef.name)
  return {
    nodeClass,
    classReady: world.verdicts.get(spec.nodeClassRef.name) ?? {
      status: 'False',
      reason: 'NodeClassNotFound',
      message: 'the SSHNodeClass does not exist',
    },
    wanted: nodeClass &&
      profile && { marker: profileMarker(profile), vars: varsDigest(profile, nodeClass.spec.vars) },
    registrationTimeoutMs: registrationTimeoutMs(nodeClass, profile),
  }
}

/** A host that is not in view, since no SSHHost names its pool any more, is still held. */
async function recordOf(
  { deps }: ClusterScope,
  { records }: ClusterWorld,
  key: HostKey,
): Promise<HostRecord | undefined> {
  return records.get(hostKeyText(key)) ?? deps.hosts.get(key)
}

/** By providerID; for a NodeClaim that adopts and has none yet, by the address of its host. */
function nodesOf(
  nodeClaim: NodeClaim,
  nodes: readonly Node[],
  { host, nodeClass }: Pick<NodeClaimView, 'host' | 'nodeClass'>,
): readonly Node[] {
  const providerID = nodeClaim.status?.providerID ?? ''
  if (providerID !== '') return nodes.filter((node) => node.spec?.providerID === providerID)
  if (host === undefined || nodeClass?.spec.providerIDSource !== 'Adopt') return []
  const address = host.nodeAddress ?? host.address
  return nodes.filter((node) =>
    node.status?.addresses?.some((each) => each.type === 'InternalIP' && isSameIP(each.address, address)),
  )
}

/** A snapshot that lacks a Node may be older than the Node: what gives up a NodeClaim is read again. */
async function proveAbsence(scope: ClusterScope, nodeClaim: NodeClaim): Promise<readonly Node[]> {
  const name = nodeClaim.status?.nodeName
  if (name === undefined || !isTrue(nodeClaim, 'Registered')) return []
  const node = await scope.kubernetes.get(nodeResource, name)
  return node?.spec?.providerID === nodeClaim.status?.providerID && node !== undefined ? [node] : []
}

function registrationTimeoutMs(
  nodeClass: SSHNodeClass | undefined,
  profile: SSHJoinProfile | undefined,
): number {
  const stated = nodeClass?.spec.registrationTimeout
  if (stated !== undefined) return parseDurationMs(stated)
  if (profile === undefined) return registrationMarginMs
  return timeoutMs(profile, 'install') + timeoutMs(profile, 'join') + registrationMarginMs
}
