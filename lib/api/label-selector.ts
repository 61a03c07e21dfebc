import { z } from 'zod'
import { SpecError } from '../errors/spec-error.ts'
import { atomicList, atomicMap } from './crd-meta.ts'
import { isLabelValue, isQualifiedName } from './label-syntax.ts'

export const LabelSelectorRequirement = z.object({
  key: z.string().describe('Label key.'),
  operator: z.string().describe('In, NotIn, Exists or DoesNotExist.'),
  values: z
    .array(z.string())
    .meta({ description: 'Label values, for In and NotIn.', ...atomicList })
    .optional(),
})
export type LabelSelectorRequirement = Readonly<z.infer<typeof LabelSelectorRequirement>>

/** metav1.LabelSelector. Its operators are checked when a matcher is made, since the API server stores any. */
export const LabelSelector = z
  .object({
    matchLabels: z
      .record(z.string(), z.string())
      .describe('Labels that must be there with these values.')
      .optional(),
    matchExpressions: z
      .array(LabelSelectorRequirement)
      .meta({ description: 'Requirements that must all hold.', ...atomicList })
      .optional(),
  })
  .meta(atomicMap)
export type LabelSelector = Readonly<z.infer<typeof LabelSelector>>

export type Labels = Readonly<Record<string, string>>
export type LabelMatcher = (labels: Labels) => boolean

/**
 * An empty selector matches everything. What an absent one means differs per field, so the caller says.
 * Throws SpecError (SelectorInvalid).
 */
export function makeLabelMatcher(selector: LabelSelector): LabelMatcher {
  const matchers = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
      makeRequirementMatcher({ key, operator: 'In', values: [value] }),
    ),
    ...(selector.matchExpressions ?? []).map(makeRequirementMatcher),
  ]
  return (labels) => matchers.every((matches) => matches(labels))
}

function makeRequirementMatcher({ key, operator, values = [] }: LabelSelectorRequirement): LabelMatcher {
  const problem = requirementProblem(key, operator, values)
  if (problem !== undefined) {
    throw new SpecError(`Cannot select by the label "${key}": ${problem}`, { reason: 'SelectorInvalid' })
  }
  switch (operator) {
    case 'In':
      return (labels) => labels[key] !== undefined && values.includes(labels[key])
    case 'NotIn':
      return (labels) => labels[key] === undefined || !values.includes(labels[key])
    case 'Exists':
      return (labels) => labels[key] !== undefined
    default:
      return (labels) => labels[key] === undefined
  }
}

function requirementProblem(key: string, operator: string, values: readonly string[]): string | undefined {
  if (!isQualifiedName(key)) return 'the key is not a label key, write it as name or prefix/name'
  const badValue = values.find((value) => !isLabelValue(value))
  if (badValue !== undefined)
    return `"${badValue}" is not a label value, use letters, digits, dashes and dots`
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length === 0 ? `the operator is ${operator} without values, give at least one` : undefined
    case 'Exists':
    case 'DoesNotExist':
      return values.length > 0 ? `the operator is ${operator} with values, give none` : undefined
    default:
      return `the operator is "${operator}", it must be In, NotIn, Exists or DoesNotExist`
  }
}
