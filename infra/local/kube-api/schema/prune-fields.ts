import { isList, isRecord } from '../json.ts'
import { fieldSchema, type StructuralSchema } from './structural-schema.ts'

const resourceFields = ['apiVersion', 'kind', 'metadata']

/** The value without the fields that its schema does not know; their paths are added to `dropped`. */
export function pruned(
  schema: StructuralSchema,
  value: unknown,
  place: { readonly path: string; readonly dropped: string[]; readonly isResource?: boolean },
): unknown {
  const { path, dropped } = place
  if (isList(value)) {
    const { items } = schema
    return value.map((item, index) =>
      items ? pruned(items, item, { path: `${path}[${String(index)}]`, dropped }) : item,
    )
  }
  if (!isRecord(value) || isOpen(schema)) return value
  const isResource = place.isResource === true || schema['x-kubernetes-embedded-resource'] === true
  const kept = Object.entries(value).flatMap(([key, field]) => {
    if (isResource && resourceFields.includes(key)) return [[key, field] as const]
    const fieldPath = path === '' ? key : `${path}.${key}`
    const below = fieldSchema(schema, key)
    if (below) return [[key, pruned(below, field, { path: fieldPath, dropped })] as const]
    if (schema['x-kubernetes-preserve-unknown-fields'] === true) return [[key, field] as const]
    if (schema.additionalProperties === true) return [[key, field] as const]
    dropped.push(fieldPath)
    return []
  })
  return Object.fromEntries(kept)
}

/** Nothing is known of what is below: a schema without a type says nothing about fields. */
function isOpen(schema: StructuralSchema): boolean {
  return (
    schema.properties === undefined &&
    schema.additionalProperties === undefined &&
    (schema.type === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true) &&
    schema['x-kubernetes-embedded-resource'] !== true
  )
}
