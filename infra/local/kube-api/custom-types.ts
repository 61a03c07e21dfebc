// A CustomResourceDefinition as resource types, one for each served version.
import { isRecord, listOf, recordOf, textOf, valueAt, type JsonRecord } from './json.ts'
import type { KubeObject } from './kube-object.ts'
import type { PrinterColumn, ResourceType } from './resource-type.ts'
import { customRules } from './schema/custom-rules.ts'
import { StructuralSchema } from './schema/structural-schema.ts'

export function customTypes(crd: KubeObject): readonly ResourceType[] {
  return listOf(valueAt(crd, ['spec', 'versions']))
    .filter(isRecord)
    .filter((version) => version['served'] === true)
    .map((version) => typeOf(recordOf(crd['spec']), version))
}

function typeOf(spec: JsonRecord, version: JsonRecord): ResourceType {
  const names = recordOf(spec['names'])
  const kind = textOf(names['kind'])
  const schema = recordOf(valueAt(version, ['schema', 'openAPIV3Schema']))
  const hasStatus = isRecord(valueAt(version, ['subresources', 'status']))
  return {
    group: textOf(spec['group']),
    version: textOf(version['name']),
    plural: textOf(names['plural']),
    singular: textOf(names['singular']) || kind.toLowerCase(),
    kind,
    listKind: textOf(names['listKind']) || `${kind}List`,
    shortNames: listOf(names['shortNames']).map(textOf),
    categories: listOf(names['categories']).map(textOf),
    isNamespaced: spec['scope'] === 'Namespaced',
    isCustom: true,
    hasStatus,
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    returnsDeleted: false,
    subresources: hasStatus ? ['status'] : [],
    fieldLabels: listOf(version['selectableFields']).map((field) =>
      textOf(recordOf(field)['jsonPath']).replace(/^\./, ''),
    ),
    columns: listOf(version['additionalPrinterColumns']).filter(isRecord).map(columnOf),
    rules: customRules(StructuralSchema.parse(schema)),
    schema,
  }
}

function columnOf(column: JsonRecord): PrinterColumn {
  const { priority, format, description } = column
  return {
    name: textOf(column['name']),
    type: textOf(column['type']),
    jsonPath: textOf(column['jsonPath']),
    ...(typeof format === 'string' && { format }),
    ...(typeof description === 'string' && { description }),
    ...(typeof priority === 'number' && { priority }),
  }
}
