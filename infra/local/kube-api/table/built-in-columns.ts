// What `kubectl get` shows of the built-in kinds that people look at here; the others have name and age.
import { listOf, printed, recordOf, textOf } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'

export interface Column {
  readonly name: string
  readonly type: string
  readonly priority?: number
  readonly cell: (object: KubeObject, nowMs: number) => unknown
}

const text = (name: string, cell: (object: KubeObject) => unknown, priority = 0): Column => ({
  name,
  type: 'string',
  priority,
  cell,
})

const columns: Readonly<Record<string, readonly Column[]>> = {
  '/nodes': [
    text('Status', nodeStatus),
    text('Roles', nodeRoles),
    text('Version', (node) => nodeInfo(node, 'kubeletVersion')),
    text('Internal-IP', internalAddress, 1),
    text('Taints', (node) => listOf(recordOf(node['spec'])['taints']).length, 1),
  ],
  '/pods': [
    text('Ready', readyContainers),
    text('Status', podStatus),
    text('Restarts', () => 0),
    text('IP', (pod) => recordOf(pod['status'])['podIP'] ?? '<none>', 1),
    text('Node', (pod) => recordOf(pod['spec'])['nodeName'] ?? '<none>', 1),
  ],
  '/namespaces': [text('Status', (namespace) => recordOf(namespace['status'])['phase'])],
  '/secrets': [
    text('Type', (secret) => secret['type']),
    text('Data', (secret) => Object.keys(recordOf(secret['data'])).length),
  ],
  '/events': [
    text('Type', (event) => event['type']),
    text('Reason', (event) => event['reason']),
    text('Object', involved),
    text('Message', (event) => event['message']),
  ],
  'apps/deployments': [
    text('Ready', (deployment) => replicaRatio(deployment)),
    text('Up-to-date', (deployment) => recordOf(deployment['status'])['updatedReplicas'] ?? 0),
    text('Available', (deployment) => recordOf(deployment['status'])['availableReplicas'] ?? 0),
  ],
  'apps/replicasets': [
    text('Desired', (set) => recordOf(set['spec'])['replicas']),
    text('Current', (set) => recordOf(set['status'])['replicas'] ?? 0),
    text('Ready', (set) => recordOf(set['status'])['readyReplicas'] ?? 0),
  ],
  'coordination.k8s.io/leases': [text('Holder', (lease) => recordOf(lease['spec'])['holderIdentity'])],
  'certificates.k8s.io/certificatesigningrequests': [
    text('SignerName', (request) => recordOf(request['spec'])['signerName']),
    text('Requestor', (request) => recordOf(request['spec'])['username']),
    text('Condition', requestCondition),
  ],
  'policy/poddisruptionbudgets': [
    text('Min Available', (budget) => recordOf(budget['spec'])['minAvailable'] ?? 'N/A'),
    text('Max Unavailable', (budget) => recordOf(budget['spec'])['maxUnavailable'] ?? 'N/A'),
    text('Allowed Disruptions', (budget) => recordOf(budget['status'])['disruptionsAllowed'] ?? 0),
  ],
  'apiextensions.k8s.io/customresourcedefinitions': [],
}

export function builtInColumns(collection: string): readonly Column[] {
  return columns[collection] ?? []
}

function conditionStatus(object: KubeObject, type: string): string {
  const conditions = listOf(recordOf(object['status'])['conditions']).map(recordOf)
  return textOf(conditions.find((condition) => condition['type'] === type)?.['status'])
}

function nodeStatus(node: KubeObject): string {
  const ready = conditionStatus(node, 'Ready')
  const text = ready === 'True' ? 'Ready' : ready === '' ? 'Unknown' : 'NotReady'
  return recordOf(node['spec'])['unschedulable'] === true ? `${text},SchedulingDisabled` : text
}

function nodeRoles(node: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/'
  const roles = Object.keys(node.metadata.labels ?? {}).filter((label) => label.startsWith(prefix))
  return roles.map((label) => label.slice(prefix.length)).join(',') || '<none>'
}

function nodeInfo(node: KubeObject, field: string): unknown {
  return recordOf(recordOf(node['status'])['nodeInfo'])[field]
}

function internalAddress(node: KubeObject): unknown {
  const addresses = listOf(recordOf(node['status'])['addresses']).map(recordOf)
  return addresses.find(({ type }) => type === 'InternalIP')?.['address'] ?? '<none>'
}

function readyContainers(pod: KubeObject): string {
  const total = listOf(recordOf(pod['spec'])['containers']).length
  return `${conditionStatus(pod, 'Ready') === 'True' ? String(total) : '0'}/${String(total)}`
}

function podStatus(pod: KubeObject): unknown {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating'
  const { phase, reason } = recordOf(pod['status'])
  return reason ?? phase
}

function involved(event: KubeObject): string {
  const object = recordOf(event['involvedObject'])
  return `${textOf(object['kind']).toLowerCase()}/${textOf(object['name'])}`
}

function replicaRatio(object: KubeObject): string {
  const ready = recordOf(object['status'])['readyReplicas'] ?? 0
  return `${printed(ready)}/${printed(recordOf(object['spec'])['replicas'] ?? 0)}`
}

function requestCondition(request: KubeObject): string {
  const { conditions, certificate } = recordOf(request['status'])
  const types = listOf(conditions).map((condition) => textOf(recordOf(condition)['type']))
  return [...types, ...(certificate === undefined ? [] : ['Issued'])].join(',') || 'Pending'
}
