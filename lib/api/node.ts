import { z } from 'zod'
import { Condition, ObjectMeta } from './object-meta.ts'
import { ResourceList } from './resource-list.ts'
import { Taint } from './taint.ts'

export const NodeAddress = z.object({ type: z.string(), address: z.string() })
export type NodeAddress = Readonly<z.infer<typeof NodeAddress>>

export const Node = z.object({
  metadata: ObjectMeta,
  spec: z
    .object({
      providerID: z.string().optional(),
      taints: z.array(Taint).optional(),
      unschedulable: z.boolean().optional(),
    })
    .optional(),
  status: z
    .object({
      capacity: ResourceList.optional(),
      allocatable: ResourceList.optional(),
      conditions: z.array(Condition).optional(),
      addresses: z.array(NodeAddress).optional(),
    })
    .optional(),
})
export type Node = Readonly<z.infer<typeof Node>>
