// Says of each node what its Lease shows: a kubelet that has not been heard of for the grace period leaves its node Unknown.
// The taints follow the Ready condition, and the cordon. What counts is when this controller saw the heartbeat change, not
// what the kubelet's clock says.
import { isSame, listOf, recordOf, textOf, type JsonRecord } from '../kube-api/json.ts'
import { timestamp, type KubeObject } from '../kube-api/kube-object.ts'
import { conditionsOf, type Cluster } from './cluster.ts'
import type { Controller } from './control-loop.ts'

const notReady = 'node.kubernetes.io/not-ready'
const unreachable = 'node.kubernetes.io/unreachable'
const unschedulable = 'node.kubernetes.io/unschedulable'
const ours = [notReady, unreachable, unschedulable]

interface Heartbeat {
  readonly text: string
  readonly seenAtMs: number
}

export function makeNodeLifecycle(options: { readonly graceMs: number }): Controller {
  const heartbeats = new Map<string, Heartbeat>()
  return {
    name: 'node-lifecycle',
    watches: ['/nodes', 'coordination.k8s.io/leases'],
    everyMs: Math.max(250, Math.min(5000, options.graceMs / 4)),
    reconcile(cluster) {
      const nodes = cluster.list('/nodes')
      const known = new Set(nodes.map(({ metadata }) => metadata.uid))
      for (const uid of heartbeats.keys()) if (!known.has(uid)) heartbeats.delete(uid)
      for (const node of nodes) {
        const { seenAtMs } = noteHeartbeat(cluster, heartbeats, node)
        judge(cluster, node, cluster.nowMs - seenAtMs > options.graceMs)
      }
    },
  }
}

function noteHeartbeat(cluster: Cluster, heartbeats: Map<string, Heartbeat>, node: KubeObject): Heartbeat {
  const { uid, name } = node.metadata
  const lease = cluster.get('coordination.k8s.io/leases', 'kube-node-lease', name)
  const ready = conditionsOf(node).find(({ type }) => type === 'Ready')
  const text = `${textOf(recordOf(lease?.['spec'])['renewTime'])} ${textOf(recordOf(ready)['lastHeartbeatTime'])}`
  const before = heartbeats.get(uid)
  if (before?.text === text) return before
  const heartbeat = { text, seenAtMs: cluster.nowMs }
  heartbeats.set(uid, heartbeat)
  return heartbeat
}

function judge(cluster: Cluster, node: KubeObject, isSilent: boolean): void {
  if (isSilent) markUnknown(cluster, node)
  const current = cluster.get('/nodes', '', node.metadata.name)
  if (current) setTaints(cluster, current)
}

function markUnknown(cluster: Cluster, node: KubeObject): void {
  const before = conditionsOf(node)
  if (before.length > 0 && before.every(({ status }) => status === 'Unknown')) return
  const now = timestamp(cluster.nowMs)
  const known = before.length > 0 ? before : [{ type: 'Ready', status: '' }]
  const conditions = known.map((condition) => ({
    ...condition,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    ...(condition.status !== 'Unknown' && { lastTransitionTime: now }),
  }))
  cluster.patchStatus('/nodes', node, { conditions })
  cluster.tell(node, {
    type: 'Normal',
    reason: 'NodeNotReady',
    message: `Node ${node.metadata.name} status is now: NodeNotReady`,
  })
}

function setTaints(cluster: Cluster, node: KubeObject): void {
  const spec = recordOf(node['spec'])
  const before = listOf(spec['taints']).map(recordOf)
  const wanted = wantedTaints(node, spec)
  const kept = before.filter(
    (taint) => !ours.includes(textOf(taint['key'])) || wanted.some((one) => isOneTaint(one, taint)),
  )
  const added = wanted
    .filter((taint) => !kept.some((one) => isOneTaint(one, taint)))
    .map((taint) => ({ ...taint, timeAdded: timestamp(cluster.nowMs) }))
  const taints = [...kept, ...added]
  if (isSame(taints, before)) return
  const { resourceVersion } = node.metadata
  cluster.patch('/nodes', node, { metadata: { resourceVersion }, spec: { taints } })
}

function wantedTaints(node: KubeObject, spec: JsonRecord): readonly JsonRecord[] {
  const ready = conditionsOf(node).find(({ type }) => type === 'Ready')?.status ?? ''
  const cordon = spec['unschedulable'] === true ? [{ key: unschedulable, effect: 'NoSchedule' }] : []
  if (ready === 'True') return cordon
  // A node that has said nothing yet is new, not lost: no pod is sent away from it.
  const isHeard = conditionsOf(node).length > 0
  const key = ready === 'Unknown' ? unreachable : notReady
  return [{ key, effect: 'NoSchedule' }, ...(isHeard ? [{ key, effect: 'NoExecute' }] : []), ...cordon]
}

function isOneTaint(left: JsonRecord, right: JsonRecord): boolean {
  return left['key'] === right['key'] && left['effect'] === right['effect']
}
