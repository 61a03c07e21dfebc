import { NodePool } from '../../../lib/api/node-pool.ts'
import type { Budget, Requirement } from '../../../lib/api/node-pool.ts'
import type { Condition } from '../../../lib/api/object-meta.ts'
import type { Taint } from '../../../lib/api/taint.ts'

export interface NodePoolOverrides {
  name?: string
  /** Kind of the node class; `EC2NodeClass` makes the pool a neighbor's. */
  kind?: 'SSHNodeClass' | 'EC2NodeClass'
  nodeClass?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  requirements?: Requirement[]
  taints?: Taint[]
  startupTaints?: Taint[]
  expireAfter?: string
  terminationGracePeriod?: string
  consolidateAfter?: string
  consolidationPolicy?: string
  budgets?: Partial<Budget>[]
  limits?: Record<string, string>
  weight?: number
  replicas?: number
  isReady?: boolean
  deletionTimestamp?: string
}

/** A Ready NodePool `p` of ours whose node class is `c`. */
export function aNodePool(overrides: NodePoolOverrides = {}): NodePool {
  const { name = 'p', kind = 'SSHNodeClass', nodeClass = 'c', isReady = true, deletionTimestamp } = overrides
  const { labels, annotations, limits, weight, replicas, ...rest } = overrides
  const { requirements = [], taints, startupTaints, terminationGracePeriod, expireAfter } = rest
  const { consolidateAfter = '0s', consolidationPolicy, budgets } = rest
  const ready: Condition = { type: 'Ready', status: isReady ? 'True' : 'False' }
  const group = kind === 'SSHNodeClass' ? 'karpenter.dklesev.github.io' : 'karpenter.k8s.aws'
  return NodePool.parse({
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 1,
      deletionTimestamp,
    },
    spec: {
      template: {
        metadata: { labels, annotations },
        spec: {
          nodeClassRef: { group, kind, name: nodeClass },
          requirements,
          taints,
          startupTaints,
          terminationGracePeriod,
          expireAfter,
        },
      },
      disruption: { consolidateAfter, consolidationPolicy, budgets },
      limits,
      weight,
      replicas,
    },
    status: { conditions: [ready] },
  })
}
