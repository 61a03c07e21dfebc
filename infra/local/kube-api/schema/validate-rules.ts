// The CEL rules of a schema. A rule that mentions oldSelf judges changes: it runs only where the old value is known.
import type { ParseResult } from '@marcbachmann/cel-js'
import { isList, isRecord, isSame, listOf, recordOf } from '../json.ts'
import type { Cause } from '../status-error.ts'
import { celEnvironment } from './cel-environment.ts'
import { celValue } from './cel-value.ts'
import { fieldSchema, oldItem, type Rule, type StructuralSchema } from './structural-schema.ts'

const parsedRules = new Map<string, ParseResult>()

function parsed(expression: string): ParseResult {
  const known = parsedRules.get(expression)
  if (known) return known
  const made = celEnvironment.parse(expression)
  parsedRules.set(expression, made)
  return made
}

/** What is wrong with an expression itself; undefined if it compiles. */
export function expressionProblem(expression: string): string | undefined {
  try {
    const { valid, error } = celEnvironment.check(expression)
    return valid ? undefined : (error?.message ?? 'does not compile')
  } catch (error) {
    return error instanceof Error ? error.message : 'does not compile'
  }
}

export function ruleCauses(
  schema: StructuralSchema,
  value: unknown,
  place: { readonly path: string; readonly old?: unknown },
): readonly Cause[] {
  const { path, old } = place
  if (value === undefined || value === null) return []
  const own = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) =>
    ruleCause({ rule, schema, path }, value, old),
  )
  return [...own, ...causesBelow(schema, value, { path, old })]
}

function causesBelow(
  schema: StructuralSchema,
  value: unknown,
  { path, old }: { readonly path: string; readonly old?: unknown },
): readonly Cause[] {
  if (isList(value)) {
    const { items } = schema
    if (!items) return []
    return value.flatMap((item, index) => {
      const before = oldItem(schema, item, listOf(old))
      return ruleCauses(items, item, { path: `${path}[${String(index)}]`, old: before })
    })
  }
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, field]) => {
    const below = fieldSchema(schema, key)
    if (!below) return []
    const isNamed = schema.properties !== undefined && Object.hasOwn(schema.properties, key)
    const fieldPath = isNamed ? (path === '' ? key : `${path}.${key}`) : `${path}[${key}]`
    return ruleCauses(below, field, { path: fieldPath, old: recordOf(old)[key] })
  })
}

function ruleCause(
  at: { readonly rule: Rule; readonly schema: StructuralSchema; readonly path: string },
  value: unknown,
  old: unknown,
): readonly Cause[] {
  const { rule, schema } = at
  const isTransition = /\boldSelf\b/.test(rule.rule)
  // An unchanged value that an older, laxer rule let in stays.
  if (isTransition ? old === undefined : old !== undefined && isSame(value, old)) return []
  const variables = {
    self: celValue(schema, value),
    ...(old !== undefined && { oldSelf: celValue(schema, old) }),
  }
  const outcome = evaluated(rule.rule, variables)
  return outcome.isMet ? [] : [failedRule(at, value, { variables, problem: outcome.problem })]
}

function evaluated(
  expression: string,
  variables: Record<string, unknown>,
): { readonly isMet: boolean; readonly problem?: string } {
  try {
    return { isMet: parsed(expression)(variables) === true }
  } catch (error) {
    return { isMet: false, problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'failed' }
  }
}

function failedRule(
  { rule, path }: { readonly rule: Rule; readonly path: string },
  value: unknown,
  found: { readonly variables: Record<string, unknown>; readonly problem?: string | undefined },
): Cause {
  const text = found.problem ?? messageOf(rule, found.variables)
  const field = `${path}${rule.fieldPath ?? ''}` || '<nil>'
  const reason = rule.reason ?? 'FieldValueInvalid'
  if (reason === 'FieldValueRequired') return { reason, message: `Required value: ${text}`, field }
  if (reason === 'FieldValueForbidden') return { reason, message: `Forbidden: ${text}`, field }
  const shown = isRecord(value) || isList(value) ? '' : `${JSON.stringify(value)}: `
  return { reason, message: `Invalid value: ${shown}${text}`, field: field.replace(/^\./, '') }
}

function messageOf(rule: Rule, variables: Record<string, unknown>): string {
  const preset = rule.message ?? `failed rule: ${rule.rule}`
  if (rule.messageExpression === undefined) return preset
  try {
    const made: unknown = parsed(rule.messageExpression)(variables)
    return typeof made === 'string' && made.trim() !== '' ? made : preset
  } catch {
    return preset
  }
}
