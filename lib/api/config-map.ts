import { z } from 'zod'
import { ObjectMeta } from './object-meta.ts'

export const ConfigMap = z.object({
  metadata: ObjectMeta,
  data: z.record(z.string(), z.string()).optional(),
})
export type ConfigMap = Readonly<z.infer<typeof ConfigMap>>
