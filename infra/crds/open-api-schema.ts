// From a zod schema to the OpenAPI that a structural CRD schema may use.
import { z } from 'zod'
import { Condition } from '../../lib/api/object-meta.ts'
import { conditionSchema } from './condition-schema.ts'

export type OpenAPI = Readonly<Record<string, unknown>>

/** The pattern that all CRDs use for quantities. */
const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'

/** Words that come first, so that the manifests read alike. */
const leadingWords = ['description', 'default', 'type', 'format', 'enum']

/** Input side: fields with a default are not required. */
export function openAPISchema(schema: z.ZodType): OpenAPI {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema !== Condition) return
      for (const word of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, word)
      Object.assign(jsonSchema, conditionSchema)
    },
  })
  return structural(json)
}

function structural(json: OpenAPI): OpenAPI {
  const words = json['x-kubernetes-int-or-string'] === true ? intOrString(json) : json
  const entries = Object.entries(words).flatMap(([word, value]) => structuralWord(word, value))
  return Object.fromEntries(entries.sort(([a], [b]) => rank(a) - rank(b)))
}

function intOrString(json: OpenAPI): OpenAPI {
  const rest = Object.entries(json).filter(([word]) => word !== 'type' && word !== 'anyOf')
  return {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: quantityPattern,
    ...Object.fromEntries(rest),
  }
}

/** None for words of JSON Schema that a structural schema does not know, and for bounds that only mean "safe integer". */
function structuralWord(word: string, value: unknown): [string, unknown][] {
  if (word === '$schema' || word === 'propertyNames') return []
  if (Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return []
  return [[word, structuralDetail(word, value)]]
}

function structuralDetail(word: string, value: unknown): unknown {
  switch (word) {
    case 'pattern':
      return String(value).replaceAll('\\/', '/')
    case 'items':
    case 'additionalProperties':
      return structuralValue(value)
    case 'properties':
      return isRecord(value) ? mapValues(value, structuralValue) : value
    default:
      return value
  }
}

function structuralValue(value: unknown): unknown {
  return isRecord(value) ? structural(value) : value
}

function mapValues(record: OpenAPI, map: (value: unknown) => unknown): OpenAPI {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

function isRecord(value: unknown): value is OpenAPI {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function rank(word: string): number {
  const index = leadingWords.indexOf(word)
  return index < 0 ? leadingWords.length : index
}
