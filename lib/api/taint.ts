import { z } from 'zod'

export const TaintEffect = z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
export type TaintEffect = z.infer<typeof TaintEffect>

export const Taint = z.object({
  key: z.string(),
  value: z.string().optional(),
  effect: TaintEffect,
  timeAdded: z.string().optional(),
})
export type Taint = Readonly<z.infer<typeof Taint>>
