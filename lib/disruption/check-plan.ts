// What must hold of every plan of emptiness, whatever made it.
import { isConditionTrue } from '../api/condition.ts'
import { annotations, labels } from '../api/names.ts'
import { allowedDisruptions } from './budgets.ts'
import type { DisruptionSnapshot } from './disruption-snapshot.ts'
import { evictionCost } from './eviction-cost.ts'
import type { EmptinessPlan, EmptyNode } from './plan-emptiness.ts'

/** Empty for a sound plan; otherwise a sentence for each thing that is wrong. */
export function checkPlan(
  plan: EmptinessPlan,
  snapshot: DisruptionSnapshot,
  nowMs: number,
): readonly string[] {
  const names = plan.empty.map(({ nodeName }) => nodeName)
  return [
    ...(new Set(names).size === names.length ? [] : ['a Node is named twice']),
    ...plan.empty.flatMap((each) => problemOf(each, snapshot) ?? []),
    ...snapshot.nodePools.flatMap(({ metadata: { name } }) => excess(name, plan, { snapshot, nowMs })),
  ]
}

function problemOf({ nodeClaim, nodeName }: EmptyNode, snapshot: DisruptionSnapshot): string | undefined {
  const node = snapshot.nodes.find(({ metadata }) => metadata.name === nodeName)
  const isGoing = [nodeClaim, node].some((each) => each?.metadata.deletionTimestamp !== undefined)
  if (node === undefined || isGoing) return `${nodeName} is not there to stay`
  if (node.metadata.labels?.[labels.initialized] !== 'true') return `${nodeName} is not initialized`
  if (node.metadata.annotations?.[annotations.doNotDisrupt] === 'true')
    return `${nodeName} says do-not-disrupt`
  if (snapshot.nominated.has(nodeName)) return `${nodeName} is about to get a pod`
  const carried = snapshot.podShapes.filter(({ nodes }) => (nodes[nodeName] ?? 0) > 0)
  const isLoaded = carried.some(
    (shape) =>
      !shape.isTerminal && !shape.isTerminating && !isAttached(shape.ownerKind) && evictionCost(shape) > 0,
  )
  return isLoaded ? `${nodeName} carries pods` : undefined
}

/** Pods that come and go with the Node. */
function isAttached(ownerKind: string): boolean {
  return ownerKind === 'DaemonSet' || ownerKind === 'Node'
}

/** Counted from the objects again: what the plan takes, with what is going already, must be within the budgets. */
function excess(
  poolName: string,
  plan: EmptinessPlan,
  { snapshot, nowMs }: { readonly snapshot: DisruptionSnapshot; readonly nowMs: number },
): readonly string[] {
  const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === poolName)
  const taken = plan.empty.filter((each) => each.pool === poolName).length
  if (pool === undefined || taken === 0) return []
  const members = snapshot.nodeClaims.filter(
    ({ metadata, status }) =>
      metadata.labels?.[labels.nodePool] === poolName &&
      isConditionTrue(status?.conditions, 'Initialized') &&
      !isConditionTrue(status?.conditions, 'InstanceTerminating'),
  )
  const going = members.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length
  const allowed = allowedDisruptions(pool, 'Empty', { nodes: members.length, busy: going, nowMs })
  return taken <= allowed ? [] : [`${taken} nodes of ${poolName} go, its budgets allow ${allowed}`]
}
