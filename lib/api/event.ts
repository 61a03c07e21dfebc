import { z } from 'zod'
import { ObjectMeta } from './object-meta.ts'

/** A core/v1 Event: what `kubectl get events` and `kubectl describe` show. */
export const Event = z.object({
  metadata: ObjectMeta,
  involvedObject: z.object({
    apiVersion: z.string().optional(),
    kind: z.string().optional(),
    namespace: z.string().optional(),
    name: z.string().optional(),
    uid: z.string().optional(),
  }),
  type: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  count: z.int().nullish(),
  firstTimestamp: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
})
export type Event = Readonly<z.infer<typeof Event>>
