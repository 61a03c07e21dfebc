import { z } from 'zod'

/** What the watcher is told by its environment; infra/watcher/deployment.yaml sets it. */
export const WatcherConfig = z.object({
  /** The name that this cluster has in the control plane's settings. */
  KPSSH_CLUSTER: z.string().min(1).max(128),
  KPSSH_EVENTS_QUEUE: z.url(),
  /** Set by itself on EKS; needed elsewhere. */
  AWS_REGION: z.string().min(1),
  /** An emulator instead of SQS. */
  KPSSH_SQS_ENDPOINT: z.url().optional(),
  /** A kubeconfig file; the pod's own service account when absent. */
  KUBECONFIG: z.string().min(1).optional(),
  KPSSH_HEALTH_PORT: z.coerce.number().int().min(0).max(65_535),
})
export type WatcherConfig = Readonly<z.infer<typeof WatcherConfig>>
