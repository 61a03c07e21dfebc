import { z } from 'zod'
import { ObjectMeta } from '../api/object-meta.ts'

/** events.k8s.io/v1, the form that is written: `note` is what people read. */
export const EventsV1Event = z.object({
  metadata: ObjectMeta,
  regarding: z.object({ kind: z.string().optional(), name: z.string().optional() }).optional(),
  type: z.string().optional(),
  reason: z.string().optional(),
  note: z.string().optional(),
})
export type EventsV1Event = Readonly<z.infer<typeof EventsV1Event>>
