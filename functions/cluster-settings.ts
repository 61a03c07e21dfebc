import { z } from 'zod'

const Connection = z.discriminatedUnion('kind', [
  /** By the function's own IAM role; the cluster's access entries say what it may do. */
  z.strictObject({
    kind: z.literal('eks'),
    name: z.string().min(1),
    region: z.string().min(1),
    endpoint: z.url(),
    certificateAuthority: z.base64(),
  }),
  /** By a kubeconfig kept in Secrets Manager; `{function}` in its name stands for the function that reads it. */
  z.strictObject({
    kind: z.literal('kubeconfigSecret'),
    secret: z.string().min(1),
    context: z.string().optional(),
  }),
  /** By a kubeconfig on this machine. */
  z.strictObject({
    kind: z.literal('kubeconfigFile'),
    path: z.string().min(1),
    context: z.string().optional(),
  }),
])

export const ClusterSettings = z.strictObject({
  connection: Connection,
  /** Unique ids of the identities that may tell us about this cluster; `*` only where there are none to tell apart. */
  senders: z.array(z.string().min(1)).min(1),
  /** Pool of its SSHHosts that name none; the cluster's own name when left out. */
  pool: z.string().min(1).optional(),
})
export type ClusterSettings = Readonly<z.infer<typeof ClusterSettings>>
export type ClusterConnection = ClusterSettings['connection']
