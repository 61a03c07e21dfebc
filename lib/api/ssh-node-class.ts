import { z } from 'zod'
import { Duration } from './duration.ts'
import { LabelSelector } from './label-selector.ts'
import { Condition, ManifestMeta, ObjectMeta } from './object-meta.ts'
import { ResourceList } from './resource-list.ts'
import { LocalObjectReference } from './secret-ref.ts'

export const ProviderIDSource = z.enum(['Static', 'Adopt'])
export type ProviderIDSource = z.infer<typeof ProviderIDSource>

export const ClusterEndpoint = z.object({
  endpoint: z
    .string()
    .max(253)
    .regex(/^https:\/\/.+$/),
  /** base64 of the PEM bundle. */
  caBundle: z.string().max(65536).optional(),
})
export type ClusterEndpoint = Readonly<z.infer<typeof ClusterEndpoint>>

export const StartupTaintGate = z.object({
  taintKey: z.string().min(1).max(253),
  removeWhen: z.object({
    podsReady: z
      .object({
        namespace: z.string().min(1).max(63),
        selector: LabelSelector,
        minReady: z.int().min(1).default(1),
      })
      .optional(),
    nodeCondition: z
      .object({
        type: z.string().min(1).max(316),
        status: z.enum(['True', 'False', 'Unknown']).default('True'),
      })
      .optional(),
  }),
})
export type StartupTaintGate = Readonly<z.infer<typeof StartupTaintGate>>

export const SSHNodeClassSpec = z.object({
  /** Absent or empty: every host of the pool. */
  hostSelector: LabelSelector.optional(),
  joinProfileRef: LocalObjectReference,
  vars: z.record(z.string(), z.string()).optional(),
  joinSecretRef: LocalObjectReference.optional(),
  providerIDSource: ProviderIDSource.default('Static'),
  pricePerCPUHour: z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?$/)
    .default('0.02'),
  kubeReserved: ResourceList.optional(),
  maxPods: z.int().min(1).max(65535).optional(),
  cluster: ClusterEndpoint.optional(),
  startupTaintGates: z.array(StartupTaintGate).max(16).optional(),
  registrationTimeout: Duration.optional(),
})
export type SSHNodeClassSpec = Readonly<z.infer<typeof SSHNodeClassSpec>>

export const SSHNodeClass = z.object({
  metadata: ObjectMeta,
  spec: SSHNodeClassSpec,
  status: z.object({ conditions: z.array(Condition).optional() }).optional(),
})
export type SSHNodeClass = Readonly<z.infer<typeof SSHNodeClass>>

export const SSHNodeClassManifest = SSHNodeClass.extend({ metadata: ManifestMeta })
