// Consolidatable: nothing has come to the Node or gone from it for the pool's consolidateAfter. True or absent.
import { getCondition, isConditionTrue } from '../api/condition.ts'
import { parseDurationOrNeverMs } from '../api/duration.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { NodePool } from '../api/node-pool.ts'
import { parseInstantMs } from '../api/rfc3339.ts'

export function isConsolidatable(nodeClaim: NodeClaim, pool: NodePool | undefined, nowMs: number): boolean {
  const { conditions, lastPodEventTime } = nodeClaim.status ?? {}
  if (pool === undefined || pool.spec.replicas !== undefined) return false
  if (!isConditionTrue(conditions, 'Initialized')) return false
  const sinceText = lastPodEventTime ?? getCondition(conditions, 'Initialized')?.lastTransitionTime
  const sinceMs = parseInstantMs(sinceText)
  return (
    sinceMs !== undefined && nowMs - sinceMs >= parseDurationOrNeverMs(pool.spec.disruption.consolidateAfter)
  )
}
