// The predefined functions, without `and` and `or`, which do not evaluate all of their arguments (evaluate.ts).
import { compare, isEqualToAny } from './compare.ts'
import { htmlEscaped, jsEscaped, urlQueryEscaped } from './escape.ts'
import { printedAll, printedLine, printedPlainly } from './format-value.ts'
import type { FunctionName } from './nodes.ts'
import { sprintf } from './printf.ts'
import { TemplateFault } from './template-fault.ts'
import { boolValue, intValue, isTrue, nil, stringValue, typeOf, type Value } from './values.ts'
import type { Work } from './work.ts'

export interface Call {
  readonly name: Exclude<FunctionName, 'and' | 'or'>
  readonly line: number
  readonly work: Work
}

/** Fewest and most arguments. */
const arity: Readonly<Record<Call['name'], readonly [number, number]>> = {
  call: [1, Infinity],
  eq: [1, Infinity],
  ge: [2, 2],
  gt: [2, 2],
  html: [0, Infinity],
  index: [1, Infinity],
  js: [0, Infinity],
  le: [2, 2],
  len: [1, 1],
  lt: [2, 2],
  ne: [2, 2],
  not: [1, 1],
  print: [0, Infinity],
  printf: [1, Infinity],
  println: [0, Infinity],
  slice: [1, Infinity],
  urlquery: [0, Infinity],
}

export function callFunction(call: Call, values: readonly Value[]): Value {
  const [fewest, most] = arity[call.name]
  if (values.length < fewest || values.length > most) {
    throw failure(
      call,
      `got ${values.length} arguments and takes ${fewest}${most === fewest ? '' : ' or more'}`,
    )
  }
  for (const value of values) if (value.kind === 'string') call.work.took(value.bytes, call.line)
  const [first = nil, ...rest] = values
  switch (call.name) {
    case 'call':
      throw failure(call, `got a value of type ${typeOf(first)}, not a function`)
    case 'len':
      return intValue(lengthOf(call, first))
    case 'not':
      return boolValue(!isTrue(first))
    case 'index':
      return indexed(call, first, rest)
    case 'slice':
      return sliced(call, first, rest)
    case 'eq':
    case 'ne':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return boolValue(comparison({ ...call, name: call.name }, first, rest))
    case 'html':
    case 'js':
    case 'print':
    case 'printf':
    case 'println':
    case 'urlquery':
      return stringValue(call.work.made(text({ ...call, name: call.name }, values), call.line))
  }
}

function failure({ name, line }: Pick<Call, 'name' | 'line'>, message: string): TemplateFault {
  return new TemplateFault('exec', line, `${name} ${message}`)
}

type Text = 'html' | 'js' | 'print' | 'printf' | 'println' | 'urlquery'

function text(call: Call & { readonly name: Text }, values: readonly Value[]): string {
  switch (call.name) {
    case 'print':
      return printedAll(values)
    case 'println':
      return printedLine(values)
    case 'html':
      return htmlEscaped(printedPlainly(values))
    case 'js':
      return jsEscaped(printedPlainly(values))
    case 'urlquery':
      return urlQueryEscaped(printedPlainly(values))
    case 'printf': {
      const [format = nil, ...rest] = values
      if (format.kind === 'string') return sprintf(format.bytes, rest, call)
      throw failure(call, `got a format of type ${typeOf(format)}, not a string`)
    }
  }
}

function lengthOf(call: Call, value: Value): number {
  if (value.kind === 'string') return value.bytes.length
  if (value.kind === 'map') return value.entries.size
  throw failure(call, `got a value of type ${typeOf(value)}, which has no length`)
}

function indexed(call: Call, item: Value, indexes: readonly Value[]): Value {
  if (item.kind === 'nil') throw failure(call, 'got nil')
  return indexes.reduce((value, index) => elementAt(call, value, index), item)
}

function elementAt(call: Call, value: Value, index: Value): Value {
  if (value.kind === 'string') {
    const position = position64(call, index)
    if (position < value.bytes.length)
      return { kind: 'uint8', value: BigInt(value.bytes.charCodeAt(position)) }
    throw failure(call, `is out of range: ${position}`)
  }
  if (value.kind !== 'map') throw failure(call, `cannot look into a value of type ${typeOf(value)}`)
  if (index.kind === 'string') return stringValue(value.entries.get(index.bytes) ?? '')
  throw failure(call, `needs a string to look into a map, not a value of type ${typeOf(index)}`)
}

function sliced(call: Call, item: Value, indexes: readonly Value[]): Value {
  if (item.kind !== 'string') throw failure(call, `cannot cut a value of type ${typeOf(item)}`)
  if (indexes.length > 2) throw failure(call, 'takes two positions in a string at most')
  const [from = 0, to = item.bytes.length] = indexes.map((index) => position64(call, index))
  if (Math.max(from, to) > item.bytes.length || from > to)
    throw failure(call, `is out of range: ${from} to ${to}`)
  return stringValue(item.bytes.slice(from, to))
}

function position64(call: Call, index: Value): number {
  if (index.kind !== 'int' && index.kind !== 'uint8') {
    throw failure(call, `needs a number for a position in a string, not a value of type ${typeOf(index)}`)
  }
  if (index.value < 0n) throw failure(call, `is out of range: ${index.value.toString()}`)
  return Number(index.value)
}

type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

function comparison(
  call: Call & { readonly name: Comparison },
  first: Value,
  rest: readonly Value[],
): boolean {
  const fail = (message: string) => failure(call, message)
  const [second = nil] = rest
  switch (call.name) {
    case 'eq':
      if (rest.length === 0) throw fail('needs something to compare with')
      return isEqualToAny(first, rest, fail)
    case 'ne':
      return !isEqualToAny(first, [second], fail)
    case 'lt':
      return compare(first, second, fail) < 0
    case 'le':
      return compare(first, second, fail) <= 0
    case 'gt':
      return !(compare(first, second, fail) <= 0)
    case 'ge':
      return !(compare(first, second, fail) < 0)
  }
}
