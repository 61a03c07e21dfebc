import { z } from 'zod'
import { LabelSelector } from './label-selector.ts'
import { ObjectMeta } from './object-meta.ts'

export const PodDisruptionBudget = z.object({
  metadata: ObjectMeta,
  spec: z.object({
    selector: LabelSelector.optional(),
    unhealthyPodEvictionPolicy: z.string().optional(),
  }),
  status: z.object({ disruptionsAllowed: z.int().optional() }).optional(),
})
export type PodDisruptionBudget = Readonly<z.infer<typeof PodDisruptionBudget>>
