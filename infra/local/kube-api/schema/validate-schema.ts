// A value against its structural schema: every violation, with the field it is in. What an update leaves as it was is not
// held against it, so that a definition may become stricter.
import { isList, isRecord, isSame, recordOf, listOf, type JsonRecord } from '../json.ts'
import { causeRequired, type Cause } from '../status-error.ts'
import { bound, fieldName, shown } from './schema-causes.ts'
import { fieldSchema, listMapKey, oldItem, type StructuralSchema } from './structural-schema.ts'
import { numberCauses, textCauses } from './validate-scalar.ts'

export function schemaCauses(
  schema: StructuralSchema,
  value: unknown,
  place: { readonly path: string; readonly old?: unknown },
): readonly Cause[] {
  const { path, old } = place
  if (old !== undefined && isSame(value, old)) return []
  if (value === null && schema.nullable === true) return []
  const typeCause = typeCauseOf(schema, value, path)
  if (typeCause) return [typeCause]
  return [
    ...enumCauses(schema, value, path),
    ...(typeof value === 'string' ? textCauses(schema, value, path) : []),
    ...(typeof value === 'number' ? numberCauses(schema, value, path) : []),
    ...(isList(value) ? listCauses(schema, value, { path, old: listOf(old) }) : []),
    ...(isRecord(value) ? recordCauses(schema, value, { path, old: recordOf(old) }) : []),
    ...combinedCauses(schema, value, path),
  ]
}

export function typeNameOf(value: unknown): string {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function typeCauseOf(schema: StructuralSchema, value: unknown, path: string): Cause | undefined {
  const actual = typeNameOf(value)
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true
  const allowed = isIntOrString
    ? ['integer', 'string']
    : schema.type === undefined
      ? undefined
      : [schema.type]
  if (allowed === undefined) return undefined
  if (allowed.includes(actual)) return undefined
  if (actual === 'integer' && allowed.includes('number')) return undefined
  const wanted = allowed.join(',')
  return {
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: "${actual}": ${fieldName(path)} in body must be of type ${wanted}: "${actual}"`,
    field: fieldName(path),
  }
}

function enumCauses(schema: StructuralSchema, value: unknown, path: string): readonly Cause[] {
  if (schema.enum === undefined || schema.enum.some((allowed) => isSame(allowed, value))) return []
  const values = schema.enum.map(shown).join(', ')
  const message = `Unsupported value: ${shown(value)}: supported values: ${values}`
  return [{ reason: 'FieldValueNotSupported', message, field: fieldName(path) }]
}

function listCauses(
  schema: StructuralSchema,
  value: readonly unknown[],
  place: { readonly path: string; readonly old: readonly unknown[] },
): readonly Cause[] {
  const { path } = place
  const { items, minItems } = schema
  const itemPath = (index: number): string => `${path}[${String(index)}]`
  return [
    ...tooMany(schema.maxItems, value.length, path),
    ...(minItems !== undefined && value.length < minItems
      ? [bound(path, value.length, `should have at least ${String(minItems)} items`)]
      : []),
    ...duplicateCauses(schema, value, itemPath),
    ...(items
      ? value.flatMap((item, index) => {
          const old = oldItem(schema, item, place.old)
          return schemaCauses(items, item, { path: itemPath(index), old })
        })
      : []),
  ]
}

function tooMany(limit: number | undefined, count: number, path: string): readonly Cause[] {
  if (limit === undefined || count <= limit) return []
  const message = `Too many: ${String(count)}: must have at most ${String(limit)} items`
  return [{ reason: 'FieldValueTooMany', message, field: fieldName(path) }]
}

function duplicateCauses(
  schema: StructuralSchema,
  value: readonly unknown[],
  itemPath: (index: number) => string,
): readonly Cause[] {
  const kind = schema['x-kubernetes-list-type']
  if (kind !== 'set' && kind !== 'map') return []
  const identities = value.map((item) => (kind === 'set' ? shown(item) : listMapKey(schema, item)))
  return value.flatMap((item, index) => {
    if (identities.indexOf(identities[index] ?? '') === index) return []
    return [
      { reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown(item)}`, field: itemPath(index) },
    ]
  })
}

function recordCauses(
  schema: StructuralSchema,
  value: JsonRecord,
  place: { readonly path: string; readonly old: JsonRecord },
): readonly Cause[] {
  const { path, old } = place
  const fieldPath = (key: string): string => (path === '' ? key : `${path}.${key}`)
  const { minProperties } = schema
  const count = Object.keys(value).length
  return [
    ...tooMany(schema.maxProperties, count, path),
    ...(minProperties !== undefined && count < minProperties
      ? [bound(path, count, `should have at least ${String(minProperties)} properties`)]
      : []),
    ...(schema.required ?? []).flatMap((key) =>
      Object.hasOwn(value, key) ? [] : [causeRequired(fieldPath(key))],
    ),
    ...Object.entries(value).flatMap(([key, field]) => {
      const below = fieldSchema(schema, key)
      return below ? schemaCauses(below, field, { path: fieldPath(key), old: old[key] }) : []
    }),
  ]
}

function combinedCauses(schema: StructuralSchema, value: unknown, path: string): readonly Cause[] {
  const isValid = (branch: StructuralSchema): boolean => schemaCauses(branch, value, { path }).length === 0
  const causes = (schema.allOf ?? []).flatMap((branch) => schemaCauses(branch, value, { path }))
  if (schema.anyOf && !schema.anyOf.some(isValid)) {
    causes.push(bound(path, value, 'must validate at least one schema (anyOf)'))
  }
  if (schema.oneOf && schema.oneOf.filter(isValid).length !== 1) {
    causes.push(bound(path, value, 'must validate one and only one schema (oneOf)'))
  }
  if (schema.not && isValid(schema.not)) causes.push(bound(path, value, 'must not validate the schema (not)'))
  return causes
}
