// Everything that an install or a join is decided from, read fresh.
import type { ConfigMap } from '../api/config-map.ts'
import type { Node } from '../api/node.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Secret } from '../api/secret.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { Kubernetes } from '../kubernetes/ports.ts'
import {
  configMaps,
  nodeClaims,
  nodes,
  secrets,
  sshHosts,
  sshJoinProfiles,
  sshNodeClasses,
} from '../kubernetes/resources.ts'
import type { RunPhase } from '../messages/run-phase.ts'
import { clusterInfoConfigMap, saysCluster } from './cluster-info.ts'

/** undefined is what was not found, or not looked for because something before it was not found. */
export interface JoinView {
  readonly nodeClaim: NodeClaim | undefined
  readonly nodeClass: SSHNodeClass | undefined
  readonly profile: SSHJoinProfile | undefined
  readonly sshHost: SSHHost | undefined
  readonly sshKey: Secret | undefined
  readonly joinSecret: Secret | undefined
  readonly clusterInfo: ConfigMap | undefined
  /** The Node of the name that the host would take. */
  readonly node: Node | undefined
}

const nothing: JoinView = {
  nodeClaim: undefined,
  nodeClass: undefined,
  profile: undefined,
  sshHost: undefined,
  sshKey: undefined,
  joinSecret: undefined,
  clusterInfo: undefined,
  node: undefined,
}

export async function lookAtJoin(
  kubernetes: Kubernetes,
  record: HostRecord,
  message: RunPhase,
): Promise<JoinView> {
  const name = message.nodeClaim?.name
  const nodeClaim = name === undefined ? undefined : await kubernetes.get(nodeClaims, name)
  if (nodeClaim === undefined) return nothing
  const nodeClass = await kubernetes.get(sshNodeClasses, nodeClaim.spec.nodeClassRef.name)
  if (nodeClass === undefined) return { ...nothing, nodeClaim }
  const { joinProfileRef, joinSecretRef } = nodeClass.spec
  const { namespace } = record.key
  const [profile, sshHost, sshKey, joinSecret, clusterInfo, node] = await Promise.all([
    kubernetes.get(sshJoinProfiles, joinProfileRef.name),
    kubernetes.get(sshHosts, record.key.name, namespace),
    kubernetes.get(secrets, record.sshKeySecret, namespace),
    joinSecretRef && kubernetes.get(secrets, joinSecretRef.name, namespace),
    saysCluster(nodeClass)
      ? undefined
      : kubernetes.get(configMaps, clusterInfoConfigMap.name, clusterInfoConfigMap.namespace),
    message.phase === 'join' ? kubernetes.get(nodes, nodeClaim.metadata.name) : undefined,
  ])
  return { nodeClaim, nodeClass, profile, sshHost, sshKey, joinSecret, clusterInfo, node }
}
