import { z } from 'zod'
import { celRules, int32, listMap } from './crd-meta.ts'
import { Duration } from './duration.ts'
import { LabelSelector } from './label-selector.ts'
import { LocalObjectReference } from './local-object-reference.ts'
import { Condition, ManifestMeta, ObjectMeta } from './object-meta.ts'
import { ResourceList } from './resource-list.ts'
import { StartupTaintGate } from './startup-taint-gate.ts'

const badVarName = 'names of vars are letters, digits and underscores, and do not start with a digit'
const badReserved = 'kubeReserved takes cpu, memory and ephemeral-storage alone'
const sameTaintKey = 'taintKey must be unique'
const reservable = ['cpu', 'memory', 'ephemeral-storage']

const Vars = z
  .record(z.string(), z.string().max(2048))
  .refine((vars) => Object.keys(vars).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)), badVarName)
  .refine((vars) => Object.keys(vars).length <= 64, 'at most 64 vars')
  .meta({
    description: 'Handed to scripts as KPSSH_VAR_<name> and to templates as .Vars.<name>; not for secrets.',
    maxProperties: 64,
    ...celRules({ rule: "self.all(name, name.matches('^[A-Za-z_][A-Za-z0-9_]*$'))", message: badVarName }),
  })

const KubeReserved = ResourceList.refine(
  (list) => Object.keys(list).every((name) => reservable.includes(name)),
  badReserved,
).meta({
  description:
    'Taken from the capacity of each host; 80m of cpu and 300Mi of memory if absent. Replaces the default whole.',
  maxProperties: 3,
  ...celRules({
    rule: "self.all(name, name in ['cpu', 'memory', 'ephemeral-storage'])",
    message: badReserved,
  }),
})

const Gates = z
  .array(StartupTaintGate)
  .max(16)
  .refine((gates) => new Set(gates.map(({ taintKey }) => taintKey)).size === gates.length, sameTaintKey)
  .meta({
    description: 'Startup taints that are removed from Nodes when what they wait for is there.',
    ...listMap('taintKey'),
    ...celRules({
      rule: 'self.all(one, self.exists_one(other, other.taintKey == one.taintKey))',
      message: sameTaintKey,
    }),
  })

export const ProviderIDSource = z.enum(['Static', 'Adopt'])
export type ProviderIDSource = z.infer<typeof ProviderIDSource>

export const ClusterEndpoint = z
  .object({
    endpoint: z
      .string()
      .max(253)
      .regex(/^https:\/\/.+$/)
      .describe('URL of the API server as hosts reach it.'),
    caBundle: z
      .string()
      .max(65536)
      .meta({ description: 'PEM certificates, base64.', format: 'byte' })
      .optional(),
  })
  .describe('Where hosts join; from ConfigMap kube-public/cluster-info if absent.')
export type ClusterEndpoint = Readonly<z.infer<typeof ClusterEndpoint>>

export const SSHNodeClassSpec = z
  .object({
    hostSelector: LabelSelector.describe(
      'Which SSHHosts serve this class; all of the pool namespace if absent or empty.',
    ).optional(),
    joinProfileRef: LocalObjectReference.describe('The SSHJoinProfile by which hosts join and leave.'),
    vars: Vars.optional(),
    joinSecretRef: LocalObjectReference.describe(
      'Secret in the namespace of the host; its keys are handed to install and join as KPSSH_SECRET_<KEY>.',
    ).optional(),
    providerIDSource: ProviderIDSource.describe(
      "Static: the control plane gives the Node its providerID. Adopt: the agent does, and the Node is found by the host's InternalIP.",
    ).default('Static'),
    pricePerCPUHour: z
      .string()
      .regex(/^[0-9]+(\.[0-9]+)?$/)
      .describe('Orders hosts by cost; any currency.')
      .default('0.02'),
    kubeReserved: KubeReserved.optional(),
    maxPods: z
      .int()
      .min(1)
      .max(65535)
      .meta({ description: "Pods per host; the host's own capacity, or 110, if absent.", ...int32 })
      .optional(),
    cluster: ClusterEndpoint.optional(),
    startupTaintGates: Gates.optional(),
    registrationTimeout: Duration.describe(
      "How long a host may take to become a Node; the sum of the phases' timeouts and 5m if absent.",
    ).optional(),
  })
  .describe('Which hosts, and how they join.')
export type SSHNodeClassSpec = Readonly<z.infer<typeof SSHNodeClassSpec>>

export const SSHNodeClassStatus = z.object({
  conditions: z.array(Condition).meta(listMap('type')).optional(),
})
export type SSHNodeClassStatus = Readonly<z.infer<typeof SSHNodeClassStatus>>

export const SSHNodeClass = z.object({
  metadata: ObjectMeta,
  spec: SSHNodeClassSpec,
  status: SSHNodeClassStatus.optional(),
})
export type SSHNodeClass = Readonly<z.infer<typeof SSHNodeClass>>

/** The node class as people write it. */
export const SSHNodeClassManifest = z.object({
  apiVersion: z.literal('karpenter.dklesev.github.io/v1beta1'),
  kind: z.literal('SSHNodeClass'),
  metadata: ManifestMeta,
  spec: SSHNodeClassSpec,
})
export type SSHNodeClassManifest = Readonly<z.infer<typeof SSHNodeClassManifest>>
