// The part of OpenAPI that a CustomResourceDefinition may use, parsed once when the definition is stored.
import { z } from 'zod'
import { recordOf } from '../json.ts'

const Rule = z.looseObject({
  rule: z.string(),
  message: z.string().optional(),
  messageExpression: z.string().optional(),
  reason: z
    .enum(['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'])
    .optional(),
  fieldPath: z.string().optional(),
  optionalOldSelf: z.boolean().optional(),
})
export type Rule = z.infer<typeof Rule>

export const StructuralSchema = z.looseObject({
  type: z.enum(['object', 'array', 'string', 'integer', 'number', 'boolean']).optional(),
  format: z.string().optional(),
  nullable: z.boolean().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.boolean().optional(),
  exclusiveMaximum: z.boolean().optional(),
  multipleOf: z.number().optional(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  pattern: z.string().optional(),
  minItems: z.int().optional(),
  maxItems: z.int().optional(),
  minProperties: z.int().optional(),
  maxProperties: z.int().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), StructuralSchema).optional()
  },
  get additionalProperties() {
    return z.union([z.boolean(), StructuralSchema]).optional()
  },
  get items() {
    return StructuralSchema.optional()
  },
  get anyOf() {
    return z.array(StructuralSchema).optional()
  },
  get allOf() {
    return z.array(StructuralSchema).optional()
  },
  get oneOf() {
    return z.array(StructuralSchema).optional()
  },
  get not() {
    return StructuralSchema.optional()
  },
  'x-kubernetes-int-or-string': z.boolean().optional(),
  'x-kubernetes-preserve-unknown-fields': z.boolean().optional(),
  'x-kubernetes-embedded-resource': z.boolean().optional(),
  'x-kubernetes-list-type': z.enum(['atomic', 'set', 'map']).optional(),
  'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
  'x-kubernetes-map-type': z.enum(['atomic', 'granular']).optional(),
  'x-kubernetes-validations': z.array(Rule).optional(),
})
export type StructuralSchema = z.infer<typeof StructuralSchema>

/** The schema of the values below a map; undefined where only named properties are known. */
export function valueSchema(schema: StructuralSchema): StructuralSchema | undefined {
  const { additionalProperties } = schema
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** The schema of one key of an object. */
export function fieldSchema(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const { properties } = schema
  return properties && Object.hasOwn(properties, key) ? properties[key] : valueSchema(schema)
}

/** Which item of the old list is this one: by its keys in a list-map, never in other lists. */
export function oldItem(schema: StructuralSchema, item: unknown, oldItems: readonly unknown[]): unknown {
  if (schema['x-kubernetes-list-type'] !== 'map') return undefined
  const key = listMapKey(schema, item)
  return oldItems.find((old) => listMapKey(schema, old) === key)
}

export function listMapKey(schema: StructuralSchema, item: unknown): string {
  const fields = recordOf(item)
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  return JSON.stringify(keys.map((key) => fields[key] ?? schema.items?.properties?.[key]?.default))
}
