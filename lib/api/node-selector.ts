import { z } from 'zod'
import { SpecError } from '../errors/spec-error.ts'
import type { LabelMatcher } from './label-selector.ts'

export const NodeSelectorRequirement = z.object({
  key: z.string(),
  operator: z.string(),
  values: z.array(z.string()).optional(),
})
export type NodeSelectorRequirement = Readonly<z.infer<typeof NodeSelectorRequirement>>

export const NodeSelectorTerm = z.object({
  matchExpressions: z.array(NodeSelectorRequirement).optional(),
  matchFields: z.array(NodeSelectorRequirement).optional(),
})
export type NodeSelectorTerm = Readonly<z.infer<typeof NodeSelectorTerm>>

/** Terms are alternatives; requirements within a term must all hold. A term without requirements matches nothing. */
export const NodeSelector = z.object({ nodeSelectorTerms: z.array(NodeSelectorTerm) })
export type NodeSelector = Readonly<z.infer<typeof NodeSelector>>

/** Labels only: `matchFields` are refused, as Karpenter refuses them. Throws SpecError (NodeSelectorInvalid). */
export function makeNodeMatcher(terms: readonly NodeSelectorTerm[]): LabelMatcher {
  const matchers = terms.map(makeTermMatcher)
  return (labels) => matchers.some((matches) => matches(labels))
}

function makeTermMatcher(term: NodeSelectorTerm): LabelMatcher {
  if ((term.matchFields ?? []).length > 0) {
    throw invalid('metadata.name', 'it is a field, use labels alone')
  }
  const requirements = term.matchExpressions ?? []
  const matchers = requirements.map(makeRequirementMatcher)
  return (labels) => matchers.length > 0 && matchers.every((matches) => matches(labels))
}

function makeRequirementMatcher({ key, operator, values = [] }: NodeSelectorRequirement): LabelMatcher {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return makeMembership(key, operator, values)
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) throw invalid(key, `the operator is ${operator} with values, give none`)
      return (labels) => (labels[key] !== undefined) === (operator === 'Exists')
    case 'Gt':
    case 'Lt':
      return makeComparison(key, operator, values)
    default:
      throw invalid(
        key,
        `the operator is "${operator}", it must be In, NotIn, Exists, DoesNotExist, Gt or Lt`,
      )
  }
}

function makeMembership(key: string, operator: 'In' | 'NotIn', values: readonly string[]): LabelMatcher {
  if (values.length === 0) throw invalid(key, `the operator is ${operator} without values, give at least one`)
  const isIn: LabelMatcher = (labels) => labels[key] !== undefined && values.includes(labels[key])
  return operator === 'In' ? isIn : (labels) => !isIn(labels)
}

function makeComparison(key: string, operator: 'Gt' | 'Lt', values: readonly string[]): LabelMatcher {
  const limit = values.length === 1 ? parseInteger(values[0]) : undefined
  if (limit === undefined) throw invalid(key, `the operator is ${operator}, it needs exactly one integer`)
  return (labels) => {
    const actual = parseInteger(labels[key])
    if (actual === undefined) return false
    return operator === 'Gt' ? actual > limit : actual < limit
  }
}

/** As strconv.ParseInt reads a label value; undefined where it fails. */
export function parseInteger(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function invalid(key: string, problem: string): SpecError {
  return new SpecError(`Cannot select nodes by "${key}": ${problem}`, { reason: 'NodeSelectorInvalid' })
}
