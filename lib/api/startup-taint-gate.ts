import { z } from 'zod'
import { celRules, int32 } from './crd-meta.ts'
import { isQualifiedName } from './label-syntax.ts'
import { LabelSelector } from './label-selector.ts'

const emptySelector = 'selector must name at least one label'
const notExactlyOne = 'exactly one of podsReady and nodeCondition must be set'
const noTaintKey = 'taintKey must be a taint key: name or prefix/name'

const GateSelector = LabelSelector.refine(
  ({ matchLabels = {}, matchExpressions = [] }) =>
    Object.keys(matchLabels).length + matchExpressions.length > 0,
  emptySelector,
).meta({
  description: 'Selects the pods.',
  ...celRules({
    rule:
      '(has(self.matchLabels) && size(self.matchLabels) > 0) || ' +
      '(has(self.matchExpressions) && size(self.matchExpressions) > 0)',
    message: emptySelector,
  }),
})

const PodsReady = z
  .object({
    namespace: z.string().min(1).max(63).describe('Namespace of the pods.'),
    selector: GateSelector,
    minReady: z
      .int()
      .min(1)
      .meta({ description: 'How many of them must be Ready on the Node.', ...int32 })
      .default(1),
  })
  .describe('Opens when enough pods on the Node are Ready.')

const NodeCondition = z
  .object({
    type: z.string().min(1).max(316).describe('Type of the condition.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Status it must have.').default('True'),
  })
  .describe('Opens when a condition of the Node has a status.')

/** Removes a startup taint from Nodes of the class when what it waits for is there. */
export const StartupTaintGate = z.object({
  taintKey: z.string().min(1).max(253).refine(isQualifiedName, noTaintKey).meta({
    description: 'Key of a taint that the NodePool lists in startupTaints.',
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
  }),
  removeWhen: z
    .object({ podsReady: PodsReady.optional(), nodeCondition: NodeCondition.optional() })
    .refine((gate) => (gate.podsReady === undefined) !== (gate.nodeCondition === undefined), notExactlyOne)
    .meta({
      description: 'What the taint waits for.',
      ...celRules({ rule: 'has(self.podsReady) != has(self.nodeCondition)', message: notExactlyOne }),
    }),
})
export type StartupTaintGate = Readonly<z.infer<typeof StartupTaintGate>>
