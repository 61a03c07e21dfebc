import { z } from 'zod'
import { NodeClassRef } from './node-class-ref.ts'
import { Requirement } from './node-pool.ts'
import { Condition, ObjectMeta } from './object-meta.ts'
import { ResourceList } from './resource-list.ts'
import { Taint } from './taint.ts'

export const NodeClaimSpec = z.object({
  nodeClassRef: NodeClassRef,
  requirements: z.array(Requirement),
  resources: z.object({ requests: ResourceList.optional() }).optional(),
  taints: z.array(Taint).optional(),
  startupTaints: z.array(Taint).optional(),
  terminationGracePeriod: z.string().optional(),
  /** A duration, or `Never`. */
  expireAfter: z.string().default('720h'),
})
export type NodeClaimSpec = Readonly<z.infer<typeof NodeClaimSpec>>

export const NodeClaimStatus = z.object({
  nodeName: z.string().optional(),
  providerID: z.string().optional(),
  imageID: z.string().optional(),
  capacity: ResourceList.optional(),
  allocatable: ResourceList.optional(),
  conditions: z.array(Condition).optional(),
  lastPodEventTime: z.string().optional(),
})
export type NodeClaimStatus = Readonly<z.infer<typeof NodeClaimStatus>>

export const NodeClaim = z.object({
  metadata: ObjectMeta,
  spec: NodeClaimSpec,
  status: NodeClaimStatus.optional(),
})
export type NodeClaim = Readonly<z.infer<typeof NodeClaim>>
