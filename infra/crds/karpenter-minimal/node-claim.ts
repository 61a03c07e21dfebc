import { z } from 'zod'
import { celRules, dateTime } from '../../../lib/api/crd-meta.ts'
import { ResourceList } from '../../../lib/api/resource-list.ts'
import { Duration, DurationOrNever, NodeClassRef, requirements, Taint } from './common-fields.ts'

export const NodeClaimSpec = z
  .object({
    nodeClassRef: NodeClassRef,
    requirements: requirements(['karpenter.sh/capacity-type', 'karpenter.sh/nodepool']),
    resources: z
      .object({ requests: ResourceList.describe('What the Node must offer.').optional() })
      .describe('Resources of the Node.')
      .optional(),
    taints: z.array(Taint).describe('Taints of the Node.').optional(),
    startupTaints: z
      .array(Taint)
      .describe('Taints that something removes when the Node is ready for pods.')
      .optional(),
    terminationGracePeriod: Duration.describe('After it, draining forces.').optional(),
    expireAfter: DurationOrNever.describe('How long the Node lives.').default('720h'),
  })
  .meta({
    description: 'What Node is wanted.',
    ...celRules({ rule: 'self == oldSelf', message: 'spec is immutable' }),
  })

/** Here reason and message may be absent. */
const NodeClaimCondition = z.object({
  type: z
    .string()
    .max(316)
    .regex(
      /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/,
    )
    .describe('What the condition is about.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('True, False or Unknown.'),
  lastTransitionTime: z.string().meta({ description: 'When the status changed last.', ...dateTime }),
  reason: z
    .string()
    .max(1024)
    .regex(/^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$/)
    .describe('For programs: why the condition has this status.')
    .optional(),
  message: z.string().max(32768).describe('For people: details of the transition.').optional(),
  observedGeneration: z
    .int()
    .min(0)
    .meta({ description: 'Generation that it was set for.', format: 'int64' })
    .optional(),
})

export const NodeClaimStatus = z.object({
  nodeName: z.string().describe('Name of the Node.').optional(),
  providerID: z.string().describe("The Node's spec.providerID.").optional(),
  imageID: z.string().describe('Image of the machine.').optional(),
  capacity: ResourceList.describe('What the machine has.').optional(),
  allocatable: ResourceList.describe('What it offers to pods.').optional(),
  conditions: z
    .array(NodeClaimCondition)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
    .optional(),
  lastPodEventTime: z
    .string()
    .meta({ description: 'When a pod came or went last.', ...dateTime })
    .optional(),
})
