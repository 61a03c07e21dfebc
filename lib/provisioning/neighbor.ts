// A pod that a NodePool of somebody else's could serve is left to them: with two autoscalers on it, both would open a node.
import { toleratesTaint } from '../api/toleration.ts'
import type { Demand } from './demand.ts'
import { conflictingKey, wellKnownLabels } from './requirements.ts'
import type { Template } from './template.ts'

/**
 * The name of such a pool. Requirements and taints alone are looked at: nobody here knows its instance types. A pod whose
 * first wish is one of our pools or their labels conflicts with every pool of others.
 */
export function servingNeighbor({ ways: [way] }: Demand, neighbors: readonly Template[]): string | undefined {
  if (way === undefined) return undefined
  return neighbors.find(
    ({ requirements, taints }) =>
      taints.every(
        (taint) => taint.effect === 'PreferNoSchedule' || toleratesTaint(way.tolerations, taint),
      ) && conflictingKey(requirements, way.requirements, wellKnownLabels) === undefined,
  )?.name
}
