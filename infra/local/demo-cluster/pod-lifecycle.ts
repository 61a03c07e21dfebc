// What kubelets would do with pods, for nodes whose kubelet is a stand-in: bound pods run and are ready, ended ones go. A node
// that is not ready does nothing, as a dead machine does nothing.
import { listOf, recordOf, textOf } from '../kube-api/json.ts'
import { timestamp, type KubeObject } from '../kube-api/kube-object.ts'
import { isReady, type Cluster } from './cluster.ts'
import type { Controller } from './control-loop.ts'

/** The mark of a stand-in: its version ends like this. */
export const standInVersion = '-demo'

export function isStandIn(node: KubeObject): boolean {
  const info = recordOf(recordOf(node['status'])['nodeInfo'])
  return textOf(info['kubeletVersion']).endsWith(standInVersion)
}

export function makePodLifecycle(runsPodsOn: (node: KubeObject) => boolean): Controller {
  return {
    name: 'pod-lifecycle',
    watches: ['/pods', '/nodes'],
    reconcile(cluster) {
      const nodes = cluster.list('/nodes').filter((node) => runsPodsOn(node) && isReady(node))
      const alive = new Map(nodes.map((node) => [node.metadata.name, node]))
      for (const pod of cluster.list('/pods')) {
        const node = alive.get(textOf(recordOf(pod['spec'])['nodeName']))
        if (node) attend(cluster, pod, node)
      }
    },
  }
}

function attend(cluster: Cluster, pod: KubeObject, node: KubeObject): void {
  if (pod.metadata.deletionTimestamp !== undefined) {
    cluster.remove('/pods', pod, { gracePeriodSeconds: 0 })
    return
  }
  if (textOf(recordOf(pod['status'])['phase']) !== 'Pending') return
  cluster.patchStatus('/pods', pod, runningStatus(cluster, pod, node))
  cluster.tell(pod, {
    type: 'Normal',
    reason: 'Started',
    message: `Started by the stand-in on ${node.metadata.name}`,
  })
}

function runningStatus(cluster: Cluster, pod: KubeObject, node: KubeObject): object {
  const now = timestamp(cluster.nowMs)
  const status = recordOf(pod['status'])
  const kept = listOf(status['conditions']).filter(
    (condition) => recordOf(condition)['type'] === 'PodScheduled',
  )
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady']
  const addresses = listOf(recordOf(node['status'])['addresses']).map(recordOf)
  const hostIP = textOf(addresses.find(({ type }) => type === 'InternalIP')?.['address'])
  return {
    phase: 'Running',
    startTime: now,
    ...(hostIP !== '' && { hostIP }),
    conditions: [...types.map((type) => ({ type, status: 'True', lastTransitionTime: now })), ...kept],
    containerStatuses: listOf(recordOf(pod['spec'])['containers'])
      .map(recordOf)
      .map(({ name, image }) => ({
        name,
        image,
        imageID: '',
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: now } },
      })),
  }
}
