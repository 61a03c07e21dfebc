import { isList, isRecord, mapFields } from '../json.ts'
import { fieldSchema, type StructuralSchema } from './structural-schema.ts'

/** A JSON value as CEL has it: whole numbers are integers unless the schema says number. */
export function celValue(schema: StructuralSchema | undefined, value: unknown): unknown {
  if (typeof value === 'number') {
    return Number.isInteger(value) && schema?.type !== 'number' ? BigInt(value) : value
  }
  if (typeof value === 'string') {
    if (schema?.format === 'date-time') return new Date(value)
    return schema?.format === 'byte' ? new Uint8Array(Buffer.from(value, 'base64')) : value
  }
  if (isList(value)) return value.map((item) => celValue(schema?.items, item))
  if (isRecord(value))
    return mapFields(value, (field, key) => celValue(schema && fieldSchema(schema, key), field))
  return value
}
