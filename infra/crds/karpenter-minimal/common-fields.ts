// Fields that NodePools and NodeClaims share, with the rules that keep them sound.
import { z } from 'zod'
import { celRules, dateTime } from '../../../lib/api/crd-meta.ts'

const labelKey =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$'
const labelValue = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'

const ofKarpenter = 'labels of karpenter.sh are set by Karpenter alone'
const ofKubelet = 'kubernetes.io/hostname is set by the kubelet alone'

/** CEL that refuses keys which Karpenter or the kubelet sets, but for those allowed. */
function refuseOwnKeys(key: string, allowed: readonly string[]): readonly [string, string] {
  const named = allowed.map((each) => `${key} == '${each}'`)
  return [
    [...named, `!${key}.find('^([^/]+)').endsWith('karpenter.sh')`].join(' || '),
    `${key} != 'kubernetes.io/hostname'`,
  ]
}

const labelRules = refuseOwnKeys('key', ['karpenter.sh/capacity-type'])

export const Labels = z.record(z.string(), z.string().max(63).regex(new RegExp(labelValue))).meta({
  description: 'Labels of the Nodes.',
  maxProperties: 100,
  ...celRules(
    { rule: `self.all(key, ${labelRules[0]})`, message: ofKarpenter },
    { rule: `self.all(key, ${labelRules[1]})`, message: ofKubelet },
  ),
})

export const NodeClassRef = z
  .object({
    group: z
      .string()
      .min(1)
      .regex(/^[^/]*$/)
      .describe('API group of the node class.'),
    kind: z.string().min(1).describe('Kind of the node class.'),
    name: z.string().min(1).describe('Name of the node class.'),
  })
  .describe('How nodes are made.')

export const Taint = z.object({
  key: z.string().min(1).max(316).regex(new RegExp(labelKey)).describe('Taint key.'),
  value: z.string().max(63).regex(new RegExp(labelValue)).describe('Taint value.').optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).describe('What it does to pods.'),
  timeAdded: z
    .string()
    .meta({ description: 'When it was added.', ...dateTime })
    .optional(),
})

/** `allows`: which of Karpenter's own keys may be required. */
export function requirements(allows: readonly string[]) {
  const [notKarpenter, notKubelet] = refuseOwnKeys('self', allows)
  const item = z.object({
    key: z
      .string()
      .max(316)
      .regex(new RegExp(labelKey))
      .meta({
        description: 'Label key.',
        ...celRules({ rule: notKarpenter, message: ofKarpenter }, { rule: notKubelet, message: ofKubelet }),
      }),
    operator: z
      .enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'])
      .describe('How values relate to the label.'),
    values: z
      .array(z.string().max(63).regex(new RegExp(labelValue)))
      .max(1000)
      .meta({ description: 'Label values.', 'x-kubernetes-list-type': 'atomic' })
      .optional(),
    minValues: z.int().min(1).max(50).describe('How many values must stay possible.').optional(),
  })
  return z
    .array(item)
    .max(100)
    .meta({
      description: 'Labels that the Nodes must have.',
      ...celRules(
        {
          rule: "self.all(each, each.operator == 'In' ? has(each.values) && size(each.values) > 0 : true)",
          message: 'operator In needs at least one value',
        },
        {
          rule: "self.all(each, each.operator in ['Gt', 'Lt', 'Gte', 'Lte'] ? has(each.values) && size(each.values) == 1 && each.values[0].matches('^[0-9]{1,18}$') : true)",
          message: 'operators Gt, Lt, Gte and Lte need exactly one integer, not below 0',
        },
        {
          rule: "self.all(each, each.operator == 'In' && has(each.minValues) ? has(each.values) && size(each.values) >= each.minValues : true)",
          message: 'operator In needs at least minValues values',
        },
      ),
    })
}

export const Duration = z.string().regex(/^([0-9]+(s|m|h))+$/)
export const DurationOrNever = z.string().regex(/^(([0-9]+(s|m|h))+|Never)$/)
