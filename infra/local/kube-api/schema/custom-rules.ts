// The rules of one custom resource: defaults, pruning, schema, then CEL if the schema holds.
import { isRecord, type JsonRecord } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import type { KindRules, RuleScope } from '../resource-type.ts'
import { causeInvalid } from '../status-error.ts'
import { withDefaults } from './default-fields.ts'
import { pruned } from './prune-fields.ts'
import type { StructuralSchema } from './structural-schema.ts'
import { ruleCauses } from './validate-rules.ts'
import { schemaCauses } from './validate-schema.ts'

/** Violations after which a real server does not try the rules. */
const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const unchecked = causeInvalid(
  '<nil>',
  'null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
)

export function customRules(schema: StructuralSchema): KindRules {
  const hasRules = JSON.stringify(schema).includes('"x-kubernetes-validations"')
  const shaped = (object: KubeObject, scope: RuleScope): KubeObject => {
    const place = { path: '', dropped: scope.unknownFields, isResource: true }
    const fields = withDefaults(schema, pruned(schema, object, place))
    return isRecord(fields) ? { ...fields, ...identityOf(object) } : object
  }
  return {
    prepareCreate: shaped,
    prepareUpdate: (next, _current, scope) => shaped(next, scope),
    prepareStatus: (next, _current, scope) => shaped(next, scope),
    validate(object, current) {
      const causes = schemaCauses(schema, bodyOf(object), { path: '', old: current && bodyOf(current) })
      if (!hasRules) return causes
      if (causes.some(({ reason }) => blocking.has(reason))) return [...causes, unchecked]
      return [...causes, ...ruleCauses(schema, bodyOf(object), { path: '', old: current && bodyOf(current) })]
    },
  }
}

function identityOf(object: KubeObject): Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata }
}

/** Metadata has rules of its own; a schema may speak of the name only. */
function bodyOf(object: KubeObject): JsonRecord {
  const { name, generateName } = object.metadata
  return { ...object, metadata: { name, ...(generateName !== undefined && { generateName }) } }
}
