// Which values one label may have: the algebra behind node selectors, NodePool requirements and pod affinity.
//   In {a,b}  the values a and b         NotIn {a}  everything but a        Exists  everything but nothing
//   DoesNotExist  no value at all        Gt, Lt, Gte, Lte  everything within bounds
import { SpecError } from '../errors/spec-error.ts'
import { parseInteger } from '../api/node-selector.ts'
import type { Requirement } from '../api/node-pool.ts'

export interface ValueSet {
  /** The values, or with `isComplement` those that are excluded. */
  readonly values: ReadonlySet<string>
  readonly isComplement: boolean
  /** Inclusive; only beside `isComplement`: a listed value was compared with the bounds already. */
  readonly atLeast?: bigint
  readonly atMost?: bigint
  readonly minValues?: number
}

const none: ReadonlySet<string> = new Set()
export const anyValue: ValueSet = { values: none, isComplement: true }
export const noValue: ValueSet = { values: none, isComplement: false }

export function oneOf(values: Iterable<string>): ValueSet {
  return { values: new Set(values), isComplement: false }
}

/** Throws SpecError (RequirementInvalid). */
export function valueSetOf({ key, operator, values = [], minValues }: Requirement): ValueSet {
  const set = operatorSet(key, operator, values)
  return minValues === undefined ? set : { ...set, minValues }
}

function operatorSet(key: string, operator: string, values: readonly string[]): ValueSet {
  switch (operator) {
    case 'In':
      return oneOf(values)
    case 'NotIn':
      return { values: new Set(values), isComplement: true }
    case 'Exists':
      return anyValue
    case 'DoesNotExist':
      return noValue
    case 'Gt':
    case 'Gte':
    case 'Lt':
    case 'Lte':
      return boundedSet(operator, integerOf(key, operator, values))
    default:
      throw invalid(key, `the operator is "${operator}", it must be one that NodePools may use`)
  }
}

function boundedSet(operator: 'Gt' | 'Gte' | 'Lt' | 'Lte', limit: bigint): ValueSet {
  const bound = operator === 'Gt' ? limit + 1n : operator === 'Lt' ? limit - 1n : limit
  if (BigInt.asIntN(64, bound) !== bound) return noValue
  return operator.startsWith('G') ? { ...anyValue, atLeast: bound } : { ...anyValue, atMost: bound }
}

function integerOf(key: string, operator: string, values: readonly string[]): bigint {
  const limit = values.length === 1 ? parseInteger(values[0]) : undefined
  if (limit === undefined) throw invalid(key, `the operator is ${operator}, it needs exactly one integer`)
  return limit
}

function invalid(key: string, problem: string): SpecError {
  return new SpecError(`Cannot require the label "${key}": ${problem}`, { reason: 'RequirementInvalid' })
}

export function hasValue(set: ValueSet, value: string): boolean {
  return set.values.has(value) !== set.isComplement && isWithinBounds(set, value)
}

function isWithinBounds({ atLeast, atMost }: ValueSet, value: string): boolean {
  if (atLeast === undefined && atMost === undefined) return true
  const integer = parseInteger(value)
  if (integer === undefined) return false
  return (atLeast === undefined || integer >= atLeast) && (atMost === undefined || integer <= atMost)
}

export function intersect(a: ValueSet, b: ValueSet): ValueSet {
  const minValues = largest(a.minValues, b.minValues)
  const set = a.isComplement && b.isComplement ? intersectComplements(a, b) : intersectListed(a, b)
  return minValues === undefined ? set : { ...set, minValues }
}

function intersectListed(a: ValueSet, b: ValueSet): ValueSet {
  const [listed, other] = a.isComplement ? [b, a] : [a, b]
  return oneOf([...listed.values].filter((value) => hasValue(other, value)))
}

function intersectComplements(a: ValueSet, b: ValueSet): ValueSet {
  const atLeast = largest(a.atLeast, b.atLeast)
  const atMost = smallest(a.atMost, b.atMost)
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) return noValue
  return {
    values: new Set([...a.values, ...b.values]),
    isComplement: true,
    ...(atLeast === undefined ? {} : { atLeast }),
    ...(atMost === undefined ? {} : { atMost }),
  }
}

function largest<T extends bigint | number>(a: T | undefined, b: T | undefined): T | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a
}

function smallest(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a
}

/** True if no value is left. */
export function isEmpty(set: ValueSet): boolean {
  return !set.isComplement && set.values.size === 0
}

/** NotIn or DoesNotExist: satisfied by a node without the label. */
export function isNegative(set: ValueSet): boolean {
  return isEmpty(set) || (set.isComplement && set.values.size > 0)
}

/** As requirements of a NodeClaim. Bounds are written as Gt and Lt, which every Karpenter CRD accepts. */
export function requirementsOfSet(key: string, set: ValueSet): readonly Requirement[] {
  const { values, isComplement, atLeast, atMost, minValues } = set
  const listed = [...values].sort()
  const count = minValues === undefined ? {} : { minValues }
  if (!isComplement) {
    return listed.length === 0
      ? [{ key, operator: 'DoesNotExist' }]
      : [{ key, operator: 'In', values: listed, ...count }]
  }
  const bounds = [
    ...(atLeast === undefined || atLeast < 1n ? [] : [{ key, operator: 'Gt', values: [`${atLeast - 1n}`] }]),
    ...(atMost === undefined ? [] : [{ key, operator: 'Lt', values: [`${atMost + 1n}`] }]),
  ]
  if (listed.length > 0) return [{ key, operator: 'NotIn', values: listed }, ...bounds]
  return bounds.length > 0 ? bounds : [{ key, operator: 'Exists', ...count }]
}
