import { z } from 'zod'
import { ObjectMeta } from './object-meta.ts'

/** coordination.k8s.io/v1; kubelets renew theirs in namespace kube-node-lease. */
export const Lease = z.object({
  metadata: ObjectMeta,
  spec: z
    .object({
      holderIdentity: z.string().optional(),
      leaseDurationSeconds: z.int().optional(),
      renewTime: z.string().optional(),
    })
    .optional(),
})
export type Lease = Readonly<z.infer<typeof Lease>>
