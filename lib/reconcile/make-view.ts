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

export interface ViewOptions {
  readonly nodes: readonly Node[]
  readonly candidates: readonly HostKey[]
  readonly isHeartbeat: boolean
}

/** Beyond the phases' own budgets: kubelet start, certificate, first status. */
const registrationMarginMs = 5 * 60_000

export async function makeView(
  scope: ClusterScope,
  world: ClusterWorld,
  nodeClaim: NodeClaim,
  options: ViewOptions,
): Promise<NodeClaimView> {
  const { uid } = nodeClaim.metadata
  const nodeClass = world.nodeClasses.get(nodeClaim.spec.nodeClassRef.name)
  const profile = nodeClass && world.profiles.get(nodeClass.spec.joinProfileRef.name)
  const held = [...world.records.values()].find((record) => record.claim?.uid === uid)
  const boundKey = held?.key ?? (await scope.deps.bindings.get(uid))
  const boundTo = held ?? (boundKey && (await recordOf(scope, world, boundKey)))
  const host = boundTo?.claim?.uid === uid ? boundTo : undefined
  const verdict = nodeClass && world.verdicts.get(nodeClass.metadata.name)
  const nodes = nodesOf(nodeClaim, options.nodes, { host, nodeClass })
  return {
    nodeClaim,
    host,
    boundTo,
    isBound: boundKey !== undefined,
    sshHosts: world.sshHosts,
    nodeClass,
    classReady: verdict ?? {
      status: 'False',
      reason: 'NodeClassNotFound',
      message: 'the SSHNodeClass does not exist',
    },
    wanted: nodeClass && profile && { marker: profileMarker(profile), vars: varsDigest(nodeClass.spec.vars) },
    nodes: nodes.length > 0 ? nodes : await proveAbsence(scope, nodeClaim),
    candidates: host === undefined && boundKey === undefined ? options.candidates : [],
    registrationTimeoutMs: registrationTimeoutMs(nodeClass, profile),
    isHeartbeat: options.isHeartbeat,
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
  {
    host,
    nodeClass,
  }: { readonly host: HostRecord | undefined; readonly nodeClass: SSHNodeClass | undefined },
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
