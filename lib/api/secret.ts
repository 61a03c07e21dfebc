import { z } from 'zod'
import { ObjectMeta } from './object-meta.ts'

/** `data` values are base64, as on the wire. */
export const Secret = z.object({
  metadata: ObjectMeta,
  type: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
})
export type Secret = Readonly<z.infer<typeof Secret>>
