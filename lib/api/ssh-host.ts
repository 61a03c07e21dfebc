import { z } from 'zod'
import { Condition, ManifestMeta, ObjectMeta } from './object-meta.ts'
import { ResourceList } from './resource-list.ts'
import { LocalObjectReference } from './secret-ref.ts'

export const SSHHostSpec = z.object({
  address: z.string().min(1).max(253),
  port: z.int().min(1).max(65535).default(22),
  user: z.string().max(32).default('root'),
  sshKeySecretRef: LocalObjectReference,
  nodeAddress: z.string().max(45).optional(),
  capacity: ResourceList,
  execMode: z.enum(['Raw', 'Verified']).default('Raw'),
  trustedSigners: z.array(z.string()).max(16).optional(),
  shimCommand: z.string().max(1024).optional(),
  pool: z.string().min(1).max(253).optional(),
  zone: z.string().min(1).max(63).optional(),
})
export type SSHHostSpec = Readonly<z.infer<typeof SSHHostSpec>>

export const SSHHostState = z.enum([
  'Pending',
  'Available',
  'Claimed',
  'InUse',
  'Unhealthy',
  'Leaving',
  'Maintenance',
])
export type SSHHostState = z.infer<typeof SSHHostState>

/** A projection of the table's record for people; only reconcile writes it. */
export const SSHHostStatus = z.object({
  /** Absent means Pending. */
  state: SSHHostState.optional(),
  conditions: z.array(Condition).optional(),
  claimRef: z.object({ name: z.string().min(1).max(253), uid: z.string().optional() }).optional(),
  installedProfile: z.string().optional(),
  bootstrapTokenID: z.string().max(6).optional(),
  providerID: z.string().optional(),
  hostKeyFingerprint: z.string().optional(),
  observedCapacity: ResourceList.optional(),
  observedArch: z.string().optional(),
  observedGeneration: z.int().optional(),
  lastProbeTime: z.string().optional(),
  lastProbeError: z.string().optional(),
})
export type SSHHostStatus = Readonly<z.infer<typeof SSHHostStatus>>

export const SSHHost = z.object({
  metadata: ObjectMeta,
  spec: SSHHostSpec,
  status: SSHHostStatus.optional(),
})
export type SSHHost = Readonly<z.infer<typeof SSHHost>>

export const SSHHostManifest = SSHHost.extend({ metadata: ManifestMeta })
