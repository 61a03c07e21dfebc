import { isList, isRecord, mapFields, withField, type JsonRecord } from '../json.ts'
import { fieldSchema, type StructuralSchema } from './structural-schema.ts'

/** The value with every default that applies to it. A null that the schema does not allow counts as missing. */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (isList(value)) {
    const { items } = schema
    return items ? value.map((item) => withDefaults(items, item)) : value
  }
  if (!isRecord(value)) return value
  return mapFields(addMissing(schema, value), (field, key) => {
    const below = fieldSchema(schema, key)
    return below ? withDefaults(below, field) : field
  })
}

function addMissing(schema: StructuralSchema, value: JsonRecord): JsonRecord {
  return Object.entries(schema.properties ?? {}).reduce((record, [key, { default: preset, nullable }]) => {
    if (preset === undefined) return record
    const field = Object.hasOwn(record, key) ? record[key] : undefined
    const isMissing = field === undefined || (field === null && nullable !== true)
    return isMissing ? withField(record, key, preset) : record
  }, value)
}
