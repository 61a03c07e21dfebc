import { z } from 'zod'
import { celRules, dateTime, int32, int64, listMap } from './crd-meta.ts'
import { isIP } from './ip-address.ts'
import { isLabelValue } from './label-syntax.ts'
import { LocalObjectReference } from './local-object-reference.ts'
import { Condition, ManifestMeta, ObjectMeta } from './object-meta.ts'
import { PositiveQuantity } from './quantity.ts'
import { ResourceList } from './resource-list.ts'

const missingSigners = 'execMode Verified needs at least one entry in trustedSigners'
const missingCapacity = 'capacity must name cpu and memory'
const noIP = 'nodeAddress must be an IP address'
const noLabelValue = 'zone must be a label value'

const Capacity = z
  .record(z.string(), PositiveQuantity)
  .refine((capacity) => 'cpu' in capacity && 'memory' in capacity, missingCapacity)
  .refine((capacity) => Object.keys(capacity).length <= 16, 'capacity names at most 16 resources')
  .meta({
    description: 'What the machine offers to pods; cpu and memory at least.',
    maxProperties: 16,
    ...celRules({ rule: "'cpu' in self && 'memory' in self", message: missingCapacity }),
  })

export const SSHHostSpec = z
  .object({
    address: z
      .string()
      .min(1)
      .max(253)
      .meta({
        description: 'IP address or DNS name at which SSH answers. Cannot be changed: make another SSHHost.',
        ...celRules({ rule: 'self == oldSelf', message: 'address is immutable' }),
      }),
    port: z
      .int()
      .min(1)
      .max(65535)
      .meta({ description: 'TCP port of the SSH server.', ...int32 })
      .default(22),
    user: z
      .string()
      .max(32)
      .describe('Login name; other than root, it needs sudo without a password.')
      .default('root'),
    sshKeySecretRef: LocalObjectReference.describe(
      'Secret in the namespace of the SSHHost with the keys privateKey, and optionally passphrase and knownHost.',
    ),
    nodeAddress: z
      .string()
      .max(45)
      .refine(isIP, noIP)
      .meta({
        description: "InternalIP of the machine's Node, if it is not address.",
        ...celRules({ rule: 'isIP(self)', message: noIP }),
      })
      .optional(),
    capacity: Capacity,
    execMode: z
      .enum(['Raw', 'Verified'])
      .describe('Raw runs scripts with sudo; Verified lets a shim on the host check their signature first.')
      .default('Raw'),
    trustedSigners: z
      .array(z.string().max(4096))
      .max(16)
      .describe('Public keys, as in authorized_keys, whose signatures are accepted in mode Verified.')
      .optional(),
    shimCommand: z
      .string()
      .max(1024)
      .describe('Command that starts the shim in mode Verified; /opt/kpssh/kpssh-shim if absent.')
      .optional(),
    pool: z
      .string()
      .min(1)
      .max(253)
      .regex(/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/)
      .describe(
        'Clusters that name the same pool share its hosts; the cluster itself if absent. Cannot be changed: make another SSHHost.',
      )
      .optional(),
    zone: z
      .string()
      .min(1)
      .max(63)
      .refine(isLabelValue, noLabelValue)
      .meta({
        description: 'Value of topology.kubernetes.io/zone on the Node; pool if absent.',
        pattern: '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
      })
      .optional(),
  })
  .refine(
    ({ execMode, trustedSigners = [] }) => execMode !== 'Verified' || trustedSigners.length > 0,
    missingSigners,
  )
  .meta({
    description: 'How the machine is reached and what it offers.',
    ...celRules(
      {
        rule: "self.execMode != 'Verified' || (has(self.trustedSigners) && size(self.trustedSigners) > 0)",
        message: missingSigners,
      },
      {
        rule: 'has(self.pool) ? has(oldSelf.pool) && self.pool == oldSelf.pool : !has(oldSelf.pool)',
        message: 'pool is immutable',
      },
    ),
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

export const SSHHostStatus = z
  .object({
    state: SSHHostState.describe('Where the host is in its life; absent means Pending.').optional(),
    conditions: z.array(Condition).meta(listMap('type')).optional(),
    claimRef: z
      .object({
        name: z.string().min(1).max(253).describe('Name of the NodeClaim.'),
        uid: z.string().describe('UID of the NodeClaim.').optional(),
      })
      .describe('The NodeClaim that owns the host.')
      .optional(),
    installedProfile: z
      .string()
      .describe('<profile>@<version> of the last install that succeeded.')
      .optional(),
    bootstrapTokenID: z
      .string()
      .max(6)
      .describe('Id of the bootstrap token that the last join was given.')
      .optional(),
    providerID: z.string().describe("The Node's spec.providerID while the host is claimed.").optional(),
    hostKeyFingerprint: z.string().describe('SHA256 fingerprint of the pinned host key.').optional(),
    observedCapacity: ResourceList.meta({
      description: 'CPUs and memory that the last probe counted.',
    }).optional(),
    observedArch: z.string().describe('Architecture as Kubernetes names it, from the last probe.').optional(),
    observedGeneration: z
      .int()
      .meta({ description: 'metadata.generation that was probed last.', ...int64 })
      .optional(),
    lastProbeTime: z
      .string()
      .meta({ description: 'When the last probe ended.', ...dateTime })
      .optional(),
    lastProbeError: z.string().describe('Why the last probe failed; empty when it did not.').optional(),
  })
  .describe('A projection of what the control plane knows of the host; written by it alone.')
export type SSHHostStatus = Readonly<z.infer<typeof SSHHostStatus>>

export const SSHHost = z.object({
  metadata: ObjectMeta,
  spec: SSHHostSpec,
  status: SSHHostStatus.optional(),
})
export type SSHHost = Readonly<z.infer<typeof SSHHost>>

/** The host as people write it. */
export const SSHHostManifest = z.object({
  apiVersion: z.literal('karpenter.dklesev.github.io/v1beta1'),
  kind: z.literal('SSHHost'),
  metadata: ManifestMeta,
  spec: SSHHostSpec,
})
export type SSHHostManifest = Readonly<z.infer<typeof SSHHostManifest>>
