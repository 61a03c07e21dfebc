// Patterns that this program and bash on a host (`[[ $value =~ ^(pattern)$ ]]` with LC_ALL=C) read alike: what POSIX and
// JavaScript agree on and no more. Both match bytes, and the whole value.
import { parsePattern } from '../pattern.ts'

export type PortablePattern =
  | { readonly kind: 'pattern'; matches(value: string): boolean }
  | { readonly kind: 'invalid'; readonly message: string }

export const longestPattern = 4_096
const deepestGroup = 32
const mostRepeats = 255

class PortableFault extends Error {}

interface Reader {
  readonly text: string
  at: number
  depth: number
}

/** A part of a pattern, in JavaScript, and whether nothing at all matches it. */
interface Part {
  readonly source: string
  readonly mayBeEmpty: boolean
}

/** The one way to say that a value must be empty: elsewhere a repetition of none confuses the C library. */
const emptyValue = '.{0}'

/** Says what is not portable in a pattern. */
export function parsePortablePattern(text: string): PortablePattern {
  try {
    const source = text === emptyValue ? '(?:)' : readPattern(text)
    const parsed = parsePattern(source)
    if (parsed.kind === 'invalid') return parsed
    return { kind: 'pattern', matches: (value) => parsed.matches(bytesOf(value)) }
  } catch (error) {
    if (error instanceof PortableFault) return { kind: 'invalid', message: error.message }
    throw error
  }
}

/** One character for each byte of UTF-8. */
function bytesOf(value: string): string {
  return Buffer.from(value).toString('latin1')
}

function readPattern(text: string): string {
  if (text === '') throw new PortableFault('it is empty')
  if (text.length > longestPattern) throw new PortableFault(`it is longer than ${longestPattern} characters`)
  const reader: Reader = { text, at: 0, depth: 0 }
  const { source } = readChoice(reader)
  if (reader.at < text.length) throw unfit(reader, 'closes no group')
  return source
}

function readChoice(reader: Reader): Part {
  const options = [readSequence(reader)]
  while (reader.text[reader.at] === '|') {
    reader.at += 1
    options.push(readSequence(reader))
  }
  return {
    source: options.map(({ source }) => source).join('|'),
    mayBeEmpty: options.some(({ mayBeEmpty }) => mayBeEmpty),
  }
}

function readSequence(reader: Reader): Part {
  const parts: Part[] = []
  for (;;) {
    const next = reader.text[reader.at]
    if (next === undefined || next === '|' || next === ')') break
    parts.push(readRepeated(reader))
  }
  if (parts.length === 0) throw new PortableFault('a part of it is empty, write a choice with ( )?')
  return {
    source: parts.map(({ source }) => source).join(''),
    mayBeEmpty: parts.every(({ mayBeEmpty }) => mayBeEmpty),
  }
}

/** The C library does not come to an end with a repetition of what may be empty. */
function readRepeated(reader: Reader): Part {
  const start = reader.at
  const atom = readAtom(reader)
  const repeat = readQuantifier(reader)
  if (repeat.text !== '' && repeat.text !== '?' && atom.mayBeEmpty) {
    throw unfit({ ...reader, at: start }, 'repeats what may be empty')
  }
  return { source: atom.source + repeat.text, mayBeEmpty: atom.mayBeEmpty || repeat.least === 0 }
}

const quantifier = /[*+?]|\{(\d{1,3})(?:(,)(\d{1,3})?)?\}/y

function readQuantifier(reader: Reader): { readonly text: string; readonly least: number } {
  quantifier.lastIndex = reader.at
  const match = quantifier.exec(reader.text)
  if (match === null) return { text: '', least: 1 }
  const [text, lower, comma, upper] = match
  if (lower !== undefined)
    requireCounts(reader, Number(lower), upper ?? (comma === undefined ? lower : '255'))
  reader.at += text.length
  return { text, least: lower === undefined ? (text === '+' ? 1 : 0) : Number(lower) }
}

function requireCounts(reader: Reader, least: number, upper: string): void {
  const most = Number(upper)
  if (Math.max(least, most) > mostRepeats) throw unfit(reader, `repeats more than ${mostRepeats} times`)
  if (most < least) throw unfit(reader, 'ends before it begins')
  if (most === 0) throw unfit(reader, 'repeats nothing')
}

const literal = /[ !"#%&',\-/0-9:;<=>@A-Z_`a-z~]/y
const escaped = /\\[.[\](){}|*+?^$\\]/y
const bracket = /\[(\^?)([^[\]\\]+)\]/y

function readAtom(reader: Reader): Part {
  return reader.text[reader.at] === '(' ? readGroup(reader) : { source: readOne(reader), mayBeEmpty: false }
}

function readOne(reader: Reader): string {
  if (reader.text[reader.at] === '[') return readBracket(reader)
  const plain = take(reader, literal) ?? take(reader, escaped)
  if (plain !== undefined) return plain[0]
  if (reader.text[reader.at] !== '.') throw unfit(reader, 'is not portable')
  reader.at += 1
  return '[^]'
}

function readGroup(reader: Reader): Part {
  if (reader.depth === deepestGroup) throw new PortableFault(`its groups are deeper than ${deepestGroup}`)
  reader.at += 1
  reader.depth += 1
  const inner = readChoice(reader)
  if (reader.text[reader.at] !== ')') throw new PortableFault('a group of it is not closed')
  reader.at += 1
  reader.depth -= 1
  return { ...inner, source: `(?:${inner.source})` }
}

function readBracket(reader: Reader): string {
  const start = reader.at
  const [found, negation = '', items = ''] = take(reader, bracket) ?? []
  if (found === undefined || !/^[\x20-\x7e]+$/.test(items)) {
    throw unfit({ ...reader, at: start }, 'is no set of printable characters without [ ] and \\')
  }
  if (negation === '' && items.startsWith('^')) throw unfit({ ...reader, at: start }, 'is no portable set')
  requireRanges(items, { ...reader, at: start })
  return `[${negation}${items.replace(/\^/g, '\\^')}]`
}

/** A dash stands for itself at the beginning or the end alone. */
function requireRanges(items: string, reader: Reader): void {
  const inner = items.replace(/^-|-$/g, '').replace(/(.)-(.)/g, (range, start: string, end: string) => {
    if (start === '-' || end === '-') return range
    if (end < start) throw unfit(reader, 'ends before it begins')
    return ''
  })
  if (inner.includes('-') || items === '--') throw unfit(reader, 'has a dash that says nothing')
}

function take(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.at
  const match = expression.exec(reader.text)
  if (match === null) return undefined
  reader.at += match[0].length
  return match
}

function unfit({ text, at }: Reader, why: string): PortableFault {
  return new PortableFault(`${JSON.stringify(text.slice(at, at + 8))} ${why}`)
}
