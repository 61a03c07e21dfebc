// What a NodePool's status says: whether it can be provisioned from, and how much of it there is.
import {
  withCondition,
  withInitialConditions,
  nodePoolConditions,
  type ConditionChange,
} from '../api/condition.ts'
import { labels } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { NodePool } from '../api/node-pool.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { addAmounts, amountsOf, formatAmounts } from '../api/amounts.ts'
import type { ClassVerdict } from './judge-class.ts'

/** A merge patch for the NodePool's status; undefined when it says so already. */
export function planPoolStatus(
  pool: NodePool,
  nodeClass: { readonly object: SSHNodeClass; readonly verdict: ClassVerdict } | undefined,
  { nodeClaims, nowMs }: { readonly nodeClaims: readonly NodeClaim[]; readonly nowMs: number },
): object | undefined {
  const context = { set: nodePoolConditions, object: pool.metadata, nowMs }
  const conditions = [classCondition(nodeClass), validationCondition(pool)].reduce(
    (all, change) => withCondition(all, change, context),
    withInitialConditions(pool.status?.conditions ?? [], context),
  )
  const members = nodeClaims.filter(
    (each) =>
      each.metadata.labels?.[labels.nodePool] === pool.metadata.name &&
      each.metadata.deletionTimestamp === undefined,
  )
  const resources = {
    cpu: '0',
    memory: '0',
    pods: '0',
    'ephemeral-storage': '0',
    ...formatAmounts(addAmounts(...members.map((each) => amountsOf(each.status?.capacity)))),
    nodes: String(members.length),
  }
  const status = { conditions, nodes: members.length, resources }
  return isSaid(pool, status) ? undefined : status
}

function classCondition(
  nodeClass: { readonly object: SSHNodeClass; readonly verdict: ClassVerdict } | undefined,
): ConditionChange {
  const type = 'NodeClassReady'
  if (nodeClass === undefined) {
    return { type, status: 'False', reason: 'NodeClassNotFound', message: 'the SSHNodeClass does not exist' }
  }
  if (nodeClass.object.metadata.deletionTimestamp !== undefined) {
    return {
      type,
      status: 'False',
      reason: 'NodeClassTerminating',
      message: 'the SSHNodeClass is being deleted',
    }
  }
  const { status, reason, message } = nodeClass.verdict
  return status === 'True' ? { type, status } : { type, status, reason, message }
}

/** What CEL cannot say about a NodePool, and what this autoscaler does not do: said here instead of being ignored. */
function validationCondition(pool: NodePool): ConditionChange {
  const type = 'ValidationSucceeded'
  const message = problemOf(pool)
  if (message === undefined) return { type, status: 'True' }
  return { type, status: 'False', reason: 'NodePoolValidationFailed', message }
}

function problemOf(pool: NodePool): string | undefined {
  const { taints = [], startupTaints = [], requirements } = pool.spec.template.spec
  if (pool.spec.replicas !== undefined) return 'spec.replicas (static capacity) is not supported'
  if (pool.spec.disruption.consolidationPolicy === 'Balanced') {
    return 'spec.disruption.consolidationPolicy "Balanced" is not supported'
  }
  const seen = new Set<string>()
  for (const { key, effect } of [...taints, ...startupTaints]) {
    if (seen.has(`${key}:${effect}`)) return `taint ${key}:${effect} is there twice`
    seen.add(`${key}:${effect}`)
  }
  const capacityType = requirements.find(
    ({ key, operator }) => key === labels.capacityType && operator === 'In',
  )
  const known = ['on-demand', 'spot', 'reserved']
  if (capacityType !== undefined && !(capacityType.values ?? []).some((value) => known.includes(value))) {
    return `requirement ${labels.capacityType} names no known capacity type`
  }
  return undefined
}

function isSaid(
  pool: NodePool,
  status: { conditions: readonly object[]; nodes: number; resources: object },
): boolean {
  const before = pool.status
  return (
    before?.nodes === status.nodes &&
    JSON.stringify(before.conditions) === JSON.stringify(status.conditions) &&
    Object.entries(status.resources).every(([name, quantity]) => before.resources?.[name] === quantity) &&
    Object.keys(before.resources ?? {}).every((name) => name in status.resources)
  )
}
