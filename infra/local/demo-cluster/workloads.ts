// Deployments become ReplicaSets and ReplicaSets become pods, so that an evicted pod comes back.
import { createHash } from 'node:crypto'
import { isSame, recordOf, textOf } from '../kube-api/json.ts'
import type { KubeObject } from '../kube-api/kube-object.ts'
import { isReady, type Cluster } from './cluster.ts'
import type { Controller } from './control-loop.ts'

const deployments = 'apps/deployments'
const replicaSets = 'apps/replicasets'
const hashLabel = 'pod-template-hash'

export const deploymentController: Controller = {
  name: 'deployment-controller',
  watches: [deployments, replicaSets],
  reconcile(cluster) {
    for (const deployment of cluster.list(deployments)) {
      if (deployment.metadata.deletionTimestamp === undefined) roll(cluster, deployment)
    }
  },
}

/** All replicas in the set of the present template, none in older ones: no rolling in between. */
function roll(cluster: Cluster, deployment: KubeObject): void {
  const spec = recordOf(deployment['spec'])
  const { replicas = 1, template, selector } = spec
  const hash = createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10)
  const sets = ownedBy(cluster, replicaSets, deployment)
  const current = sets.find(({ metadata }) => metadata.labels?.[hashLabel] === hash)
  if (!current) {
    const meta = recordOf(recordOf(template)['metadata'])
    const labels = { ...recordOf(meta['labels']), [hashLabel]: hash }
    cluster.create(
      replicaSets,
      {
        metadata: {
          name: `${deployment.metadata.name}-${hash}`,
          labels,
          ownerReferences: [ownerReference(deployment)],
        },
        spec: {
          replicas,
          selector: { matchLabels: { ...recordOf(recordOf(selector)['matchLabels']), [hashLabel]: hash } },
          template: { ...recordOf(template), metadata: { ...meta, labels } },
        },
      },
      deployment.metadata.namespace,
    )
    return
  }
  for (const set of sets) {
    const wanted = set === current ? replicas : 0
    if (recordOf(set['spec'])['replicas'] !== wanted)
      cluster.patch(replicaSets, set, { spec: { replicas: wanted } })
  }
  const { readyReplicas = 0, replicas: made = 0 } = recordOf(current['status'])
  const status = {
    observedGeneration: deployment.metadata.generation,
    replicas: made,
    updatedReplicas: made,
    readyReplicas,
    availableReplicas: readyReplicas,
  }
  setStatus(cluster, deployments, deployment, status)
}

export const replicaSetController: Controller = {
  name: 'replicaset-controller',
  watches: [replicaSets, '/pods'],
  reconcile(cluster) {
    for (const set of cluster.list(replicaSets)) {
      if (set.metadata.deletionTimestamp === undefined) fill(cluster, set)
    }
  },
}

function fill(cluster: Cluster, set: KubeObject): void {
  const { replicas = 1, template } = recordOf(set['spec'])
  const pods = ownedBy(cluster, '/pods', set).filter(isActive)
  const wanted = typeof replicas === 'number' ? replicas : 1
  for (let count = pods.length; count < wanted; count += 1) createPod(cluster, set, recordOf(template))
  for (const pod of pods.toSorted(byWorth).slice(wanted)) cluster.remove('/pods', pod)
  const status = {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: pods.filter(isReady).length,
    availableReplicas: pods.filter(isReady).length,
  }
  setStatus(cluster, replicaSets, set, status)
}

function createPod(cluster: Cluster, set: KubeObject, template: Readonly<Record<string, unknown>>): void {
  const { labels, annotations } = recordOf(template['metadata'])
  const metadata = {
    generateName: `${set.metadata.name}-`,
    labels,
    annotations,
    ownerReferences: [ownerReference(set)],
  }
  cluster.create('/pods', { metadata, spec: template['spec'] }, set.metadata.namespace)
}

function isActive(pod: KubeObject): boolean {
  const phase = textOf(recordOf(pod['status'])['phase'])
  return pod.metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(phase)
}

/** Those to keep first: bound before waiting, ready before not, older before newer. */
function byWorth(left: KubeObject, right: KubeObject): number {
  const worth = (pod: KubeObject): number =>
    (textOf(recordOf(pod['spec'])['nodeName']) === '' ? 0 : 2) + (isReady(pod) ? 1 : 0)
  const difference = worth(right) - worth(left)
  if (difference !== 0) return difference
  return left.metadata.creationTimestamp < right.metadata.creationTimestamp ? -1 : 1
}

function ownedBy(cluster: Cluster, collection: string, owner: KubeObject): readonly KubeObject[] {
  const { uid, namespace } = owner.metadata
  return cluster
    .list(collection, namespace)
    .filter(({ metadata }) =>
      metadata.ownerReferences?.some((one) => one.uid === uid && one.controller === true),
    )
}

function ownerReference({ apiVersion, kind, metadata }: KubeObject): object {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  }
}

// eslint-disable-next-line max-params -- one object, where it is and what it becomes
function setStatus(cluster: Cluster, collection: string, object: KubeObject, status: object): void {
  const before = recordOf(object['status'])
  if (!isSame({ ...before, ...status }, before)) cluster.patchStatus(collection, object, status)
}
