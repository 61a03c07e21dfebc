import { z } from 'zod'

export const Toleration = z.object({
  key: z.string().optional(),
  operator: z.string().optional(),
  value: z.string().optional(),
  effect: z.string().optional(),
  tolerationSeconds: z.int().optional(),
})
export type Toleration = Readonly<z.infer<typeof Toleration>>
