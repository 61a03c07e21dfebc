// A CustomResourceDefinition is checked when it is stored, so that serving it cannot fail later.
import { isList, isRecord, listOf, recordOf, textOf, valueAt, type JsonRecord } from '../json.ts'
import { timestamp, type KubeObject } from '../kube-object.ts'
import type { KindRules } from '../resource-type.ts'
import { StructuralSchema } from '../schema/structural-schema.ts'
import { expressionProblem } from '../schema/validate-rules.ts'
import { causeInvalid, causeRequired, type Cause } from '../status-error.ts'

export const customResourceDefinitionRules: KindRules = {
  prepareCreate(object, scope) {
    const complete = withNames(object)
    return { ...complete, status: establishedStatus(complete, timestamp(scope.nowMs)) }
  },
  prepareUpdate(next, current) {
    const complete = withNames(next)
    const status = recordOf(current['status'])
    const acceptedNames = valueAt(complete, ['spec', 'names'])
    const storedVersions = [...new Set([...listOf(status['storedVersions']), ...storageVersions(complete)])]
    return { ...complete, status: { ...status, acceptedNames, storedVersions } }
  },
  validate: (object) => definitionCauses(object),
}

function withNames(object: KubeObject): KubeObject {
  const spec = recordOf(object['spec'])
  const names = recordOf(spec['names'])
  const kind = textOf(names['kind'])
  const complete = { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names }
  return { ...object, spec: { conversion: { strategy: 'None' }, ...spec, names: complete } }
}

function establishedStatus(object: KubeObject, now: string): JsonRecord {
  const condition = (type: string, reason: string, message: string): JsonRecord => ({
    type,
    status: 'True',
    lastTransitionTime: now,
    reason,
    message,
  })
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: valueAt(object, ['spec', 'names']),
    storedVersions: storageVersions(object),
  }
}

function versionsOf(object: KubeObject): readonly JsonRecord[] {
  return listOf(valueAt(object, ['spec', 'versions'])).filter(isRecord)
}

function storageVersions(object: KubeObject): readonly string[] {
  return versionsOf(object)
    .filter((version) => version['storage'] === true)
    .map((version) => textOf(version['name']))
}

function definitionCauses(object: KubeObject): readonly Cause[] {
  const spec = recordOf(object['spec'])
  const names = recordOf(spec['names'])
  const expected = `${textOf(names['plural'])}.${textOf(spec['group'])}`
  const missing = [
    ['spec.group', spec['group']],
    ['spec.scope', spec['scope']],
    ['spec.names.plural', names['plural']],
    ['spec.names.kind', names['kind']],
  ].flatMap(([field, value]) => (textOf(value) === '' ? [causeRequired(textOf(field))] : []))
  const isMisnamed = missing.length === 0 && object.metadata.name !== expected
  return [
    ...missing,
    ...(isMisnamed
      ? [causeInvalid('metadata.name', `"${object.metadata.name}": must be spec.names.plural+"."+spec.group`)]
      : []),
    ...versionCauses(object),
  ]
}

function versionCauses(object: KubeObject): readonly Cause[] {
  const versions = versionsOf(object)
  const stored = storageVersions(object)
  const causes = versions.flatMap((version, index) =>
    schemaProblems(version, `spec.versions[${String(index)}]`),
  )
  if (stored.length === 1) return causes
  const text = 'must have exactly one version marked as storage version'
  return [...causes, causeInvalid('spec.versions', `${JSON.stringify(stored)}: ${text}`)]
}

function schemaProblems(version: JsonRecord, path: string): readonly Cause[] {
  const field = `${path}.schema.openAPIV3Schema`
  const schema = valueAt(version, ['schema', 'openAPIV3Schema'])
  if (!isRecord(schema)) return [causeRequired(field, 'schemas are required')]
  const parsed = StructuralSchema.safeParse(schema)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = [field, ...(issue?.path.map(String) ?? [])].join('.')
    return [causeInvalid(where, issue?.message ?? 'malformed')]
  }
  if (parsed.data.type !== 'object') return [causeInvalid(`${field}.type`, 'must be object at the root')]
  return ruleProblems(schema, field)
}

/** Every expression below, compiled. */
function ruleProblems(value: unknown, field: string): readonly Cause[] {
  if (isList(value)) {
    return value.flatMap((item, index) => ruleProblems(item, `${field}[${String(index)}]`))
  }
  if (!isRecord(value)) return []
  const own = listOf(value['x-kubernetes-validations']).flatMap((rule, index) => {
    const expression = textOf(recordOf(rule)['rule'])
    const problem = expressionProblem(expression)
    const at = `${field}.x-kubernetes-validations[${String(index)}].rule`
    return problem === undefined
      ? []
      : [causeInvalid(at, `${JSON.stringify(expression)}: compilation failed: ${problem}`)]
  })
  const below = Object.entries(value).flatMap(([key, item]) => ruleProblems(item, `${field}.${key}`))
  return [...own, ...below]
}
