// Every kind that kpssh reads or writes: where the API serves it and how it is read.
import { ConfigMap } from '../api/config-map.ts'
import { DaemonSet } from '../api/daemon-set.ts'
import { Event } from '../api/event.ts'
import { Lease } from '../api/lease.ts'
import { karpenterGroup, karpenterVersion, kpsshGroup, kpsshVersion } from '../api/names.ts'
import { Namespace } from '../api/namespace.ts'
import { Node } from '../api/node.ts'
import { NodeClaim } from '../api/node-claim.ts'
import { NodePool } from '../api/node-pool.ts'
import { Pod } from '../api/pod.ts'
import { PodDisruptionBudget } from '../api/pod-disruption-budget.ts'
import { Secret } from '../api/secret.ts'
import { SSHHost } from '../api/ssh-host.ts'
import { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import { SSHNodeClass } from '../api/ssh-node-class.ts'
import { CustomResourceDefinition } from './custom-resource-definition.ts'
import { EventsV1Event } from './events-v1-event.ts'
import type { Resource } from './ports.ts'

const ours = { group: kpsshGroup, version: kpsshVersion }
const karpenter = { group: karpenterGroup, version: karpenterVersion }
const core = { group: '', version: 'v1' }

export const sshHosts: Resource<SSHHost> = {
  ...ours,
  plural: 'sshhosts',
  kind: 'SSHHost',
  isNamespaced: true,
  schema: SSHHost,
}
export const sshNodeClasses: Resource<SSHNodeClass> = {
  ...ours,
  plural: 'sshnodeclasses',
  kind: 'SSHNodeClass',
  isNamespaced: false,
  schema: SSHNodeClass,
}
export const sshJoinProfiles: Resource<SSHJoinProfile> = {
  ...ours,
  plural: 'sshjoinprofiles',
  kind: 'SSHJoinProfile',
  isNamespaced: false,
  schema: SSHJoinProfile,
}
export const nodePools: Resource<NodePool> = {
  ...karpenter,
  plural: 'nodepools',
  kind: 'NodePool',
  isNamespaced: false,
  schema: NodePool,
}
export const nodeClaims: Resource<NodeClaim> = {
  ...karpenter,
  plural: 'nodeclaims',
  kind: 'NodeClaim',
  isNamespaced: false,
  schema: NodeClaim,
}
export const nodes: Resource<Node> = {
  ...core,
  plural: 'nodes',
  kind: 'Node',
  isNamespaced: false,
  schema: Node,
}
export const pods: Resource<Pod> = { ...core, plural: 'pods', kind: 'Pod', isNamespaced: true, schema: Pod }
export const secrets: Resource<Secret> = {
  ...core,
  plural: 'secrets',
  kind: 'Secret',
  isNamespaced: true,
  schema: Secret,
}
export const configMaps: Resource<ConfigMap> = {
  ...core,
  plural: 'configmaps',
  kind: 'ConfigMap',
  isNamespaced: true,
  schema: ConfigMap,
}
export const namespaces: Resource<Namespace> = {
  ...core,
  plural: 'namespaces',
  kind: 'Namespace',
  isNamespaced: false,
  schema: Namespace,
}
/** What people see in `kubectl describe`; written through `eventsV1`. */
export const events: Resource<Event> = {
  ...core,
  plural: 'events',
  kind: 'Event',
  isNamespaced: true,
  schema: Event,
}
export const eventsV1: Resource<EventsV1Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  isNamespaced: true,
  schema: EventsV1Event,
}
export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  isNamespaced: true,
  schema: Lease,
}
export const daemonSets: Resource<DaemonSet> = {
  group: 'apps',
  version: 'v1',
  plural: 'daemonsets',
  kind: 'DaemonSet',
  isNamespaced: true,
  schema: DaemonSet,
}
export const podDisruptionBudgets: Resource<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  isNamespaced: true,
  schema: PodDisruptionBudget,
}
export const customResourceDefinitions: Resource<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  isNamespaced: false,
  schema: CustomResourceDefinition,
}
