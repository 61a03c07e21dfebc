import { z } from 'zod'

export const OwnerReference = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().optional(),
  blockOwnerDeletion: z.boolean().optional(),
})
export type OwnerReference = Readonly<z.infer<typeof OwnerReference>>

/** Metadata of an object that an API server stored. Instants are RFC 3339 text. */
export const ObjectMeta = z.object({
  name: z.string().min(1),
  namespace: z.string().optional(),
  uid: z.string(),
  resourceVersion: z.string(),
  creationTimestamp: z.string(),
  generation: z.int().optional(),
  deletionTimestamp: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  finalizers: z.array(z.string()).optional(),
  ownerReferences: z.array(OwnerReference).optional(),
})
export type ObjectMeta = Readonly<z.infer<typeof ObjectMeta>>

/** Metadata as people write it in a manifest. */
export const ManifestMeta = z.object({
  name: z.string().min(1).max(253),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
})
export type ManifestMeta = Readonly<z.infer<typeof ManifestMeta>>

/** metav1.Condition; on NodeClaims and Nodes reason and message may be absent. */
export const Condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().optional(),
  message: z.string().optional(),
  // API servers store null where a writer gave no time; a whole Pod must not be unreadable for that.
  lastTransitionTime: z.string().optional().catch(undefined),
  observedGeneration: z.int().optional(),
})
export type Condition = Readonly<z.infer<typeof Condition>>
