// Binds pending pods to nodes that take them, and says why where none does: node selector, required node affinity, taints and
// resources. Affinity between pods and topology spread are beyond this stand-in.
import { addAmounts, amountsOf, lacking, subtractAmounts, type Amounts } from '../../../lib/api/amounts.ts'
import { Node } from '../../../lib/api/node.ts'
import { makeNodeMatcher } from '../../../lib/api/node-selector.ts'
import { podNeedsOf, podRequests } from '../../../lib/api/pod-needs.ts'
import { Pod, type PodNeeds } from '../../../lib/api/pod.ts'
import type { Taint } from '../../../lib/api/taint.ts'
import { toleratesTaint } from '../../../lib/api/toleration.ts'
import { listOf, recordOf, textOf, withoutField } from '../kube-api/json.ts'
import { timestamp, type KubeObject } from '../kube-api/kube-object.ts'
import { conditionsOf, withCondition, type Cluster } from './cluster.ts'
import type { Controller } from './control-loop.ts'

interface NodeRoom {
  readonly node: Node
  free: Amounts
  podCount: number
}

export const scheduler: Controller = {
  name: 'default-scheduler',
  watches: ['/pods', '/nodes'],
  reconcile(cluster) {
    const pods = cluster.list('/pods')
    const waiting = pods.filter(isWaiting)
    if (waiting.length === 0) return
    const rooms = roomsOf(cluster, pods)
    for (const object of waiting) place(cluster, object, rooms)
  },
}

function isWaiting(pod: KubeObject): boolean {
  const spec = recordOf(pod['spec'])
  return (
    textOf(spec['nodeName']) === '' &&
    textOf(spec['schedulerName']) === 'default-scheduler' &&
    listOf(spec['schedulingGates']).length === 0 &&
    pod.metadata.deletionTimestamp === undefined &&
    textOf(recordOf(pod['status'])['phase']) === 'Pending'
  )
}

function roomsOf(cluster: Cluster, pods: readonly KubeObject[]): readonly NodeRoom[] {
  const rooms = new Map<string, NodeRoom>()
  for (const object of cluster.list('/nodes')) {
    const { data: node } = Node.safeParse(withoutConditions(object))
    if (node) rooms.set(node.metadata.name, { node, free: amountsOf(node.status?.allocatable), podCount: 0 })
  }
  for (const object of pods.filter(isOnNode)) {
    const { data: pod } = Pod.safeParse(withoutConditions(object))
    const room = rooms.get(pod?.spec.nodeName ?? '')
    if (pod && room) take(room, podRequests(pod.spec))
  }
  return [...rooms.values()]
}

function isOnNode(pod: KubeObject): boolean {
  const phase = textOf(recordOf(pod['status'])['phase'])
  return textOf(recordOf(pod['spec'])['nodeName']) !== '' && !['Succeeded', 'Failed'].includes(phase)
}

/** Placing reads no conditions; a client may have left theirs without times. */
function withoutConditions(object: KubeObject): object {
  return { ...object, status: withoutField(recordOf(object['status']), 'conditions') }
}

function take(room: NodeRoom, requests: Amounts): void {
  room.free = subtractAmounts(room.free, requests)
  room.podCount += 1
}

function place(cluster: Cluster, object: KubeObject, rooms: readonly NodeRoom[]): void {
  const { data: pod } = Pod.safeParse(withoutConditions(object))
  if (!pod) return
  const needs = podNeedsOf(pod)
  const requests = addAmounts(amountsOf(needs.requests))
  const judged = rooms.map((room) => ({ room, problem: problemOf(needs, requests, room) }))
  const [best] = judged
    .filter(({ problem }) => problem === undefined)
    .map(({ room }) => room)
    .toSorted((left, right) => left.podCount - right.podCount)
  if (!best) {
    const problems = judged.map(({ problem }) => problem ?? '')
    tellUnschedulable(cluster, object, problems)
    return
  }
  const { name } = best.node.metadata
  if (
    !cluster.ask(object, {
      collection: '/pods',
      subresource: 'binding',
      method: 'POST',
      body: { target: { kind: 'Node', name } },
    })
  )
    return
  take(best, requests)
  cluster.tell(object, {
    type: 'Normal',
    reason: 'Scheduled',
    message: `Successfully assigned ${object.metadata.namespace ?? ''}/${object.metadata.name} to ${name}`,
  })
}

/** Why a node does not take a pod, in the scheduler's words; undefined if it does. */
function problemOf(needs: PodNeeds, requests: Amounts, { node, free }: NodeRoom): string | undefined {
  const taint = repelling(needs, node)
  if (taint) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`
  const labels = node.metadata.labels ?? {}
  const isSelected = Object.entries(needs.nodeSelector).every(([key, value]) => labels[key] === value)
  const required = needs.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const isWanted = required === undefined || makeNodeMatcher(required.nodeSelectorTerms)(labels)
  if (!isSelected || !isWanted) return "node(s) didn't match Pod's node affinity/selector"
  const [short] = lacking(requests, free)
  if (short === undefined) return undefined
  return short === 'pods' ? 'Too many pods' : `Insufficient ${short}`
}

function repelling(needs: PodNeeds, node: Node): Taint | undefined {
  return node.spec?.taints?.find(
    (taint) => taint.effect !== 'PreferNoSchedule' && !toleratesTaint(needs.tolerations, taint),
  )
}

function tellUnschedulable(cluster: Cluster, pod: KubeObject, problems: readonly string[]): void {
  const counts = new Map<string, number>()
  for (const problem of problems) counts.set(problem, (counts.get(problem) ?? 0) + 1)
  const reasons = [...counts].map(([problem, count]) => `${String(count)} ${problem}`).toSorted()
  const summary = `0/${String(problems.length)} nodes are available`
  const message =
    problems.length === 0 ? 'no nodes available to schedule pods' : `${summary}: ${reasons.join(', ')}.`
  const before = conditionsOf(pod)
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }
  const conditions = withCondition(before, condition, timestamp(cluster.nowMs))
  if (conditions === before) return
  cluster.patchStatus('/pods', pod, { conditions })
  cluster.tell(pod, { type: 'Warning', reason: 'FailedScheduling', message })
}
