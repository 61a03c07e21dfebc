// Label and field selectors, as query parameters write them.
import { listOf, printed, recordOf, textOf, valueAt, type JsonRecord } from './json.ts'
import type { KubeObject } from './kube-object.ts'
import type { ResourceType } from './resource-type.ts'
import { badRequest } from './status-error.ts'

export type Matcher = (object: KubeObject) => boolean

const operators = /^\s*(!?)\s*([^\s=!(),<>]+)\s*(?:(=|==|!=|\bin\b|\bnotin\b|>|<)\s*(.*))?$/s

export function readLabelSelector(text: string): Matcher {
  const terms = splitTerms(text).map(labelTerm)
  return ({ metadata }) => terms.every((matches) => matches(metadata.labels ?? {}))
}

/** Commas inside parentheses belong to their term. */
function splitTerms(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(/,(?![^(]*\))/)
}

function labelTerm(term: string): (labels: Readonly<Record<string, string>>) => boolean {
  const [, not, key = '', operator, rest = ''] = operators.exec(term.replace(/\((?=[^)]*\)\s*$)/, ' (')) ?? []
  if (key === '' || (not === '!' && operator !== undefined)) {
    throw badRequest(`unable to parse requirement: ${JSON.stringify(term)}`)
  }
  const value = rest.trim()
  switch (operator) {
    case undefined:
      return (labels) => Object.hasOwn(labels, key) !== (not === '!')
    case '=':
    case '==':
      return (labels) => Object.hasOwn(labels, key) && labels[key] === value
    case '!=':
      return (labels) => labels[key] !== value
    case '>':
      return (labels) => Number.parseInt(labels[key] ?? '', 10) > Number(value)
    case '<':
      return (labels) => Number.parseInt(labels[key] ?? '', 10) < Number(value)
    default: {
      const values = readSet(term, value)
      return (labels) =>
        (Object.hasOwn(labels, key) && values.includes(labels[key] ?? '')) === (operator === 'in')
    }
  }
}

function readSet(term: string, text: string): readonly string[] {
  if (!text.startsWith('(') || !text.endsWith(')')) {
    throw badRequest(`unable to parse requirement: ${JSON.stringify(term)}`)
  }
  return text
    .slice(1, -1)
    .split(',')
    .map((value) => value.trim())
}

export function readFieldSelector(text: string, type: ResourceType): Matcher {
  const allowed = ['metadata.name', ...(type.isNamespaced ? ['metadata.namespace'] : []), ...type.fieldLabels]
  const terms = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const [, field = '', operator, value = ''] = /^(.*?)(==|!=|=)(.*)$/s.exec(term) ?? []
      if (operator === undefined)
        throw badRequest(`invalid selector: ${JSON.stringify(term)}; can't understand it`)
      if (!allowed.includes(field)) throw badRequest(`field label not supported: ${field}`)
      return { path: field.split('.'), isEqual: operator !== '!=', value }
    })
  return (object) =>
    terms.every(({ path, isEqual, value }) => (fieldText(object, path) === value) === isEqual)
}

/** A flag that an object leaves out is false. */
const flags = new Set(['unschedulable', 'hostNetwork'])

function fieldText(object: KubeObject, path: readonly string[]): string {
  const value = valueAt(object, path)
  return value === undefined && flags.has(path.at(-1) ?? '') ? 'false' : printed(value)
}

/** A label selector as objects carry it. An empty one matches everything. */
export function readSelectorObject(selector: unknown): (labels: JsonRecord) => boolean {
  const { matchLabels, matchExpressions } = recordOf(selector)
  const equal = Object.entries(recordOf(matchLabels))
  const expressions = listOf(matchExpressions).map(recordOf)
  return (labels) =>
    equal.every(([key, value]) => labels[key] === value) &&
    expressions.every((expression) => isExpressionMet(expression, labels))
}

function isExpressionMet({ key, operator, values }: JsonRecord, labels: JsonRecord): boolean {
  const name = textOf(key)
  const has = Object.hasOwn(labels, name)
  switch (operator) {
    case 'In':
      return has && listOf(values).includes(labels[name])
    case 'NotIn':
      return !has || !listOf(values).includes(labels[name])
    case 'Exists':
      return has
    case 'DoesNotExist':
      return !has
    default:
      return false
  }
}
