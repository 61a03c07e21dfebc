// The kinds that a server has before anybody defines one.
import type { ResourceType } from '../resource-type.ts'
import { rulesOf } from './rules-of.ts'

type Trait =
  'namespaced' | 'status' | 'generation' | 'create-on-update' | 'conditional-update' | 'returns-deleted'

interface Entry {
  readonly kind: string
  readonly plural: string
  readonly traits: readonly Trait[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly string[]
  readonly fieldLabels?: readonly string[]
}

const podFields = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
]
const eventFields = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'reason',
  'reportingComponent',
  'source',
  'type',
]
const workload: readonly Trait[] = ['namespaced', 'status', 'generation']
const scale = ['scale']

const groups: Readonly<Record<string, readonly Entry[]>> = {
  '/v1': [
    {
      kind: 'Namespace',
      plural: 'namespaces',
      traits: ['status', 'returns-deleted'],
      shortNames: ['ns'],
      subresources: ['finalize'],
      fieldLabels: ['status.phase'],
    },
    {
      kind: 'Node',
      plural: 'nodes',
      traits: ['status'],
      shortNames: ['no'],
      fieldLabels: ['spec.unschedulable'],
    },
    {
      kind: 'Pod',
      plural: 'pods',
      traits: ['namespaced', 'status', 'generation', 'returns-deleted'],
      shortNames: ['po'],
      categories: ['all'],
      subresources: ['eviction', 'binding'],
      fieldLabels: podFields,
    },
    { kind: 'Secret', plural: 'secrets', traits: ['namespaced'], fieldLabels: ['type'] },
    { kind: 'ConfigMap', plural: 'configmaps', traits: ['namespaced'], shortNames: ['cm'] },
    {
      kind: 'Service',
      plural: 'services',
      traits: ['namespaced', 'status', 'returns-deleted'],
      shortNames: ['svc'],
      categories: ['all'],
    },
    {
      kind: 'ServiceAccount',
      plural: 'serviceaccounts',
      traits: ['namespaced', 'returns-deleted'],
      shortNames: ['sa'],
    },
    {
      kind: 'Event',
      plural: 'events',
      traits: ['namespaced', 'create-on-update'],
      shortNames: ['ev'],
      fieldLabels: eventFields,
    },
    {
      kind: 'PersistentVolumeClaim',
      plural: 'persistentvolumeclaims',
      traits: ['namespaced', 'status', 'returns-deleted'],
      shortNames: ['pvc'],
    },
    {
      kind: 'PersistentVolume',
      plural: 'persistentvolumes',
      traits: ['status', 'returns-deleted'],
      shortNames: ['pv'],
    },
  ],
  'apps/v1': [
    {
      kind: 'Deployment',
      plural: 'deployments',
      traits: workload,
      subresources: scale,
      shortNames: ['deploy'],
      categories: ['all'],
    },
    {
      kind: 'ReplicaSet',
      plural: 'replicasets',
      traits: workload,
      subresources: scale,
      shortNames: ['rs'],
      categories: ['all'],
    },
    {
      kind: 'StatefulSet',
      plural: 'statefulsets',
      traits: workload,
      subresources: scale,
      shortNames: ['sts'],
      categories: ['all'],
    },
    { kind: 'DaemonSet', plural: 'daemonsets', traits: workload, shortNames: ['ds'], categories: ['all'] },
  ],
  'batch/v1': [{ kind: 'Job', plural: 'jobs', traits: workload, categories: ['all'] }],
  'policy/v1': [
    { kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', traits: workload, shortNames: ['pdb'] },
  ],
  'coordination.k8s.io/v1': [
    { kind: 'Lease', plural: 'leases', traits: ['namespaced', 'create-on-update', 'conditional-update'] },
  ],
  'certificates.k8s.io/v1': [
    {
      kind: 'CertificateSigningRequest',
      plural: 'certificatesigningrequests',
      traits: ['status'],
      shortNames: ['csr'],
      subresources: ['approval'],
      fieldLabels: ['spec.signerName'],
    },
  ],
  'apiextensions.k8s.io/v1': [
    {
      kind: 'CustomResourceDefinition',
      plural: 'customresourcedefinitions',
      traits: ['status', 'generation'],
      shortNames: ['crd', 'crds'],
      categories: ['api-extensions'],
    },
  ],
  'rbac.authorization.k8s.io/v1': [
    { kind: 'ClusterRole', plural: 'clusterroles', traits: [] },
    { kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', traits: [] },
    { kind: 'Role', plural: 'roles', traits: ['namespaced'] },
    { kind: 'RoleBinding', plural: 'rolebindings', traits: ['namespaced'] },
  ],
  'events.k8s.io/v1': [
    { kind: 'Event', plural: 'events', traits: ['namespaced', 'create-on-update'], shortNames: ['ev'] },
  ],
  'scheduling.k8s.io/v1': [
    { kind: 'PriorityClass', plural: 'priorityclasses', traits: [], shortNames: ['pc'] },
  ],
  'storage.k8s.io/v1': [
    { kind: 'StorageClass', plural: 'storageclasses', traits: [], shortNames: ['sc'] },
    { kind: 'CSINode', plural: 'csinodes', traits: [] },
    { kind: 'VolumeAttachment', plural: 'volumeattachments', traits: ['status'] },
  ],
}

export const builtInTypes: readonly ResourceType[] = Object.entries(groups).flatMap(([where, entries]) => {
  const [group = '', version = ''] = where.split('/')
  return entries.map((entry) => typeOf(group, version, entry))
})

function typeOf(group: string, version: string, entry: Entry): ResourceType {
  const has = (trait: Trait): boolean => entry.traits.includes(trait)
  return {
    group,
    version,
    plural: entry.plural,
    singular: entry.kind.toLowerCase(),
    kind: entry.kind,
    listKind: `${entry.kind}List`,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    isNamespaced: has('namespaced'),
    isCustom: false,
    hasStatus: has('status'),
    hasGeneration: has('generation'),
    allowsUnconditionalUpdate: !has('conditional-update'),
    allowsCreateOnUpdate: has('create-on-update'),
    returnsDeleted: has('returns-deleted'),
    subresources: [...(has('status') ? ['status'] : []), ...(entry.subresources ?? [])],
    fieldLabels: entry.fieldLabels ?? [],
    columns: [],
    rules: rulesOf(group, entry.plural),
  }
}
