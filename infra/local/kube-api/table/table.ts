// Objects as the table that `kubectl get` asks for.
import { printed, type JsonRecord } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import { collectionOf, type PrinterColumn, type ResourceType } from '../resource-type.ts'
import { ageText } from './ages.ts'
import { builtInColumns, type Column } from './built-in-columns.ts'
import { readColumn, readColumnPath } from './column-path.ts'

const age: Column = {
  name: 'Age',
  type: 'string',
  cell: ({ metadata }, nowMs) => ageText(Date.parse(metadata.creationTimestamp), nowMs),
}

export interface TableOptions {
  readonly type: ResourceType
  readonly nowMs: number
  readonly metadata: JsonRecord
}

export function tableOf(objects: readonly KubeObject[], { type, nowMs, metadata }: TableOptions): JsonRecord {
  const columns = columnsOf(type)
  const name = { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: [
      name,
      ...columns.map((column) => ({
        name: column.name,
        type: column.type,
        format: '',
        description: '',
        priority: column.priority ?? 0,
      })),
    ],
    rows: objects.map((object) => ({
      cells: [object.metadata.name, ...columns.map(({ cell }) => cell(object, nowMs) ?? null)],
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    })),
  }
}

function columnsOf(type: ResourceType): readonly Column[] {
  if (!type.isCustom) return [...builtInColumns(collectionOf(type)), age]
  return type.columns.length === 0 ? [age] : type.columns.map(customColumn)
}

function customColumn(column: PrinterColumn): Column {
  const path = readColumnPath(column.jsonPath) ?? []
  return {
    name: column.name,
    type: column.type,
    priority: column.priority ?? 0,
    cell(object, nowMs) {
      const value = readColumn(object, path)
      if (value === undefined || value === null) return null
      if (column.type === 'date') return ageText(Date.parse(printed(value)), nowMs)
      if (column.type === 'string') return printed(value)
      return value
    },
  }
}
