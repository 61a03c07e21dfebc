import { z } from 'zod'
import { NodeClassRef } from './node-class-ref.ts'
import { Condition, ObjectMeta } from './object-meta.ts'
import { ResourceList } from './resource-list.ts'
import { Taint } from './taint.ts'

/** `operator` is one of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte. */
export const Requirement = z.object({
  key: z.string(),
  operator: z.string(),
  values: z.array(z.string()).optional(),
  minValues: z.int().optional(),
})
export type Requirement = Readonly<z.infer<typeof Requirement>>

export const Budget = z.object({
  /** A count or a percentage of the pool's nodes. */
  nodes: z.string().default('10%'),
  /** Absent or empty: every reason. */
  reasons: z.array(z.string()).optional(),
  /** Cron, five fields, UTC. */
  schedule: z.string().optional(),
  duration: z.string().optional(),
})
export type Budget = Readonly<z.infer<typeof Budget>>

export const Disruption = z.object({
  /** A duration, or `Never`. */
  consolidateAfter: z.string().default('0s'),
  consolidationPolicy: z.string().default('WhenEmptyOrUnderutilized'),
  budgets: z.array(Budget).default([{ nodes: '10%' }]),
})
export type Disruption = Readonly<z.infer<typeof Disruption>>

export const NodePool = z.object({
  metadata: ObjectMeta,
  spec: z.object({
    template: z.object({
      metadata: z
        .object({
          labels: z.record(z.string(), z.string()).optional(),
          annotations: z.record(z.string(), z.string()).optional(),
        })
        .optional(),
      spec: z.object({
        nodeClassRef: NodeClassRef,
        requirements: z.array(Requirement).default([]),
        taints: z.array(Taint).optional(),
        startupTaints: z.array(Taint).optional(),
        terminationGracePeriod: z.string().optional(),
        /** A duration, or `Never`. */
        expireAfter: z.string().default('720h'),
      }),
    }),
    disruption: Disruption.default({
      consolidateAfter: '0s',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '10%' }],
    }),
    limits: ResourceList.optional(),
    weight: z.int().optional(),
    replicas: z.int().optional(),
  }),
  status: z
    .object({
      resources: ResourceList.optional(),
      nodes: z.int().optional(),
      nodeClassObservedGeneration: z.int().optional(),
      conditions: z.array(Condition).optional(),
    })
    .optional(),
})
export type NodePool = Readonly<z.infer<typeof NodePool>>
