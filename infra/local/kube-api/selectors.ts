// Label and field selectors, as query parameters write them.
import { listOf, printed, recordOf, textOf, valueAt, type JsonRecord } from './json.ts'
import type { KubeObject } from './kube-object.ts'
import type { ResourceType } from './resource-type.ts'
import { badRequest, type StatusError } from './status-error.ts'

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

type LabelTest = (value: string | undefined) => boolean

function labelTerm(term: string): (labels: Readonly<Record<string, string>>) => boolean {
  const spaced = term.replace(/\((?=[^)]*\)\s*$)/, ' (')
  const [, not, key = '', operator, rest = ''] = operators.exec(spaced) ?? []
  if (key === '' || (not === '!' && operator !== undefined)) throw unparsable(term)
  const test = operator === undefined ? existence(not !== '!') : comparisons[operator]?.(rest.trim(), term)
  if (!test) throw unparsable(term)
  return (labels) => test(Object.hasOwn(labels, key) ? labels[key] : undefined)
}

function existence(mustExist: boolean): LabelTest {
  return (value) => (value !== undefined) === mustExist
}

const equals =
  (wanted: string): LabelTest =>
  (value) =>
    value === wanted
const comparisons: Readonly<Record<string, (text: string, term: string) => LabelTest>> = {
  '=': equals,
  '==': equals,
  '!=': (text) => (value) => value !== text,
  '>': (text) => (value) => Number.parseInt(value ?? '', 10) > Number(text),
  '<': (text) => (value) => Number.parseInt(value ?? '', 10) < Number(text),
  in: (text, term) => isIn(readSet(term, text)),
  notin: (text, term) => {
    const isExcluded = isIn(readSet(term, text))
    return (value) => !isExcluded(value)
  },
}

function isIn(values: readonly string[]): LabelTest {
  return (value) => value !== undefined && values.includes(value)
}

function unparsable(term: string): StatusError {
  return badRequest(`unable to parse requirement: ${JSON.stringify(term)}`)
}

function readSet(term: string, text: string): readonly string[] {
  if (!text.startsWith('(') || !text.endsWith(')')) {
    throw unparsable(term)
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
