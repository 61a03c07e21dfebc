import { z } from 'zod'
import { ObjectMeta } from './object-meta.ts'
import { PodSpec } from './pod.ts'

export const DaemonSet = z.object({
  metadata: ObjectMeta,
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()).optional() }).optional(),
      spec: PodSpec,
    }),
  }),
})
export type DaemonSet = Readonly<z.infer<typeof DaemonSet>>
