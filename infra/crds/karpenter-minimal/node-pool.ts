import { z } from 'zod'
import { celRules, int64, listMap } from '../../../lib/api/crd-meta.ts'
import { Condition } from '../../../lib/api/object-meta.ts'
import { ResourceList } from '../../../lib/api/resource-list.ts'
import { Duration, DurationOrNever, Labels, NodeClassRef, requirements, Taint } from './common-fields.ts'

const Budget = z.object({
  nodes: z
    .string()
    .regex(/^((100|[0-9]{1,2})%|[0-9]+)$/)
    .describe('How many Nodes, or which part of them, may be disrupted at once.')
    .default('10%'),
  reasons: z
    .array(z.enum(['Underutilized', 'Empty', 'Drifted']))
    .max(50)
    .meta({ description: 'For which reasons; all if absent.', 'x-kubernetes-list-type': 'atomic' })
    .optional(),
  schedule: z
    .string()
    .regex(
      /^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+))$/,
    )
    .describe('When it begins to apply: cron, five fields, UTC. Always if absent.')
    .optional(),
  duration: z
    .string()
    .regex(/^(([0-9]+(h|m))+(0s)?)$/)
    .describe('How long it applies from then on: hours and minutes.')
    .optional(),
})

const Disruption = z
  .object({
    consolidateAfter: DurationOrNever.describe('How long a Node must have been left alone by pods.').default(
      '0s',
    ),
    consolidationPolicy: z
      .enum(['WhenEmpty', 'WhenEmptyOrUnderutilized'])
      .describe('Which Nodes are given up.')
      .default('WhenEmptyOrUnderutilized'),
    budgets: z
      .array(Budget)
      .max(50)
      .default([{ nodes: '10%' }])
      .meta({
        description: 'Limits on disruption; the strictest counts.',
        ...celRules({
          rule: 'self.all(budget, has(budget.schedule) == has(budget.duration))',
          message: 'schedule and duration go together',
        }),
      }),
  })
  .describe('When Nodes are given up.')

const Template = z
  .object({
    metadata: z
      .object({
        labels: Labels.optional(),
        annotations: z.record(z.string(), z.string()).describe('Annotations of the Nodes.').optional(),
      })
      .describe('Metadata of the Nodes.')
      .optional(),
    spec: z
      .object({
        nodeClassRef: NodeClassRef.meta(
          celRules(
            { rule: 'self.group == oldSelf.group', message: 'nodeClassRef.group is immutable' },
            { rule: 'self.kind == oldSelf.kind', message: 'nodeClassRef.kind is immutable' },
          ),
        ),
        requirements: requirements(['karpenter.sh/capacity-type']),
        taints: z.array(Taint).describe('Taints of the Nodes.').optional(),
        startupTaints: z
          .array(Taint)
          .describe('Taints that something removes when the Node is ready for pods.')
          .optional(),
        terminationGracePeriod: Duration.describe('After it, draining forces.').optional(),
        expireAfter: DurationOrNever.describe('How long a Node lives.').default('720h'),
      })
      .describe('What each NodeClaim says.'),
  })
  .describe('What NodeClaims of this pool look like.')

export const NodePoolSpec = z
  .object({
    template: Template,
    disruption: Disruption.default({
      consolidateAfter: '0s',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '10%' }],
    }),
    limits: ResourceList.describe(
      'Resources that the pool may have in total; nodes counts Nodes.',
    ).optional(),
    weight: z
      .int()
      .min(1)
      .max(100)
      .meta({ description: 'The heavier pool is tried first.', format: 'int32' })
      .optional(),
  })
  .describe('How many Nodes of which kind.')

export const NodePoolStatus = z.object({
  resources: ResourceList.describe('Resources that the pool has.').optional(),
  nodes: z
    .int()
    .meta({ description: 'Nodes that the pool has.', ...int64 })
    .default(0),
  nodeClassObservedGeneration: z
    .int()
    .meta({ description: 'Generation of the node class.', ...int64 })
    .optional(),
  conditions: z.array(Condition).meta(listMap('type')).optional(),
})
