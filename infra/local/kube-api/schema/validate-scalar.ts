// Texts and numbers against what their schema allows.
import { type Cause } from '../status-error.ts'
import { formatProblem } from './formats.ts'
import { bound, fieldName, shown } from './schema-causes.ts'
import type { StructuralSchema } from './structural-schema.ts'

export function textCauses(schema: StructuralSchema, value: string, path: string): readonly Cause[] {
  const { minLength, maxLength, pattern, format } = schema
  const length = Array.from(value).length
  const causes: Cause[] = []
  if (minLength !== undefined && length < minLength) {
    causes.push(bound(path, value, `should be at least ${String(minLength)} chars long`))
  }
  if (maxLength !== undefined && length > maxLength) {
    const message = `Too long: may not be more than ${String(maxLength)} bytes`
    causes.push({ reason: 'FieldValueTooLong', message, field: fieldName(path) })
  }
  if (pattern !== undefined && !regExp(pattern).test(value)) {
    causes.push(bound(path, value, `should match '${pattern}'`))
  }
  const problem = format === undefined ? undefined : formatProblem(format, value)
  if (problem !== undefined) causes.push(bound(path, value, `must be of type ${problem}: ${shown(value)}`))
  return causes
}

/** Go's expressions are nearly JavaScript's; the unicode flag reads both alike, where it can. */
function regExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}

export function numberCauses(schema: StructuralSchema, value: number, path: string): readonly Cause[] {
  const { multipleOf, format } = schema
  const problems = [
    belowMinimum(schema, value),
    aboveMaximum(schema, value),
    multipleOf !== undefined && !Number.isInteger(value / multipleOf)
      ? `should be a multiple of ${String(multipleOf)}`
      : undefined,
    format === 'int32' && Math.abs(value + 0.5) > 2 ** 31 ? 'should be of type int32' : undefined,
  ]
  return problems.flatMap((problem) => (problem === undefined ? [] : [bound(path, value, problem)]))
}

function belowMinimum({ minimum, exclusiveMinimum }: StructuralSchema, value: number): string | undefined {
  if (minimum === undefined) return undefined
  if (exclusiveMinimum === true)
    return value > minimum ? undefined : `should be greater than ${String(minimum)}`
  return value >= minimum ? undefined : `should be greater than or equal to ${String(minimum)}`
}

function aboveMaximum({ maximum, exclusiveMaximum }: StructuralSchema, value: number): string | undefined {
  if (maximum === undefined) return undefined
  if (exclusiveMaximum === true) return value < maximum ? undefined : `should be less than ${String(maximum)}`
  return value <= maximum ? undefined : `should be less than or equal to ${String(maximum)}`
}
