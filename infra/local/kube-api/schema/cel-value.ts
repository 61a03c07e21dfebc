import { isList, isRecord, mapFields } from '../json.ts'
import { fieldSchema, type StructuralSchema } from './structural-schema.ts'

/** A JSON value as CEL has it: whole numbers are integers unless the schema says number. */
export function celValue(schema: StructuralSchema | undefined, value: unknown): unknown {
  if (isList(value)) return value.map((item) => celValue(schema?.items, item))
  if (isRecord(value))
    return mapFields(value, (field, key) => celValue(schema && fieldSchema(schema, key), field))
  if (typeof value === 'string') return celText(schema?.format, value)
  return typeof value === 'number' && Number.isInteger(value) && schema?.type !== 'number'
    ? BigInt(value)
    : value
}

function celText(format: string | undefined, text: string): unknown {
  if (format === 'date-time') return new Date(text)
  return format === 'byte' ? new Uint8Array(Buffer.from(text, 'base64')) : text
}
