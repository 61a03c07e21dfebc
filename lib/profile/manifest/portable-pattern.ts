// Patterns that this program and bash on a host (`[[ $value =~ ^(pattern)$ ]]` with LC_ALL=C) read alike: what POSIX and
// JavaScript agree on and no more. Both match bytes, and the whole value.
import { parsePattern } from '../pattern.ts'

export type PortablePattern =
  | {
      readonly kind: 'pattern'
      /** In JavaScript, for latin1 text. */
      readonly source: string
      matches(value: string): boolean
    }
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

/** Says what is not portable in a pattern. */
export function parsePortablePattern(text: string): PortablePattern {
  try {
    const source = readPattern(text)
    const parsed = parsePattern(source)
    if (parsed.kind === 'invalid') return parsed
    return { kind: 'pattern', source, matches: (value) => parsed.matches(bytesOf(value)) }
  } catch (error) {
    if (error instanceof PortableFault) return { kind: 'invalid', message: error.message }
    throw error
  }
}

/** One character for each byte of UTF-8. */
export function bytesOf(value: string): string {
  return Buffer.from(value).toString('latin1')
}

function readPattern(text: string): string {
  if (text === '') throw new PortableFault('it is empty')
  if (text.length > longestPattern) throw new PortableFault(`it is longer than ${longestPattern} characters`)
  const reader: Reader = { text, at: 0, depth: 0 }
  const source = readChoice(reader)
  if (reader.at < text.length) throw unfit(reader, 'closes no group')
  return source
}

function readChoice(reader: Reader): string {
  let source = readSequence(reader)
  while (reader.text[reader.at] === '|') {
    reader.at += 1
    source += `|${readSequence(reader)}`
  }
  return source
}

function readSequence(reader: Reader): string {
  let source = ''
  for (;;) {
    const next = reader.text[reader.at]
    if (next === undefined || next === '|' || next === ')') {
      if (source === '') throw new PortableFault('a part of it is empty, write a choice with ( )?')
      return source
    }
    source += readAtom(reader) + readQuantifier(reader)
  }
}

const quantifier = /[*+?]|\{(\d{1,3})(?:(,)(\d{1,3})?)?\}/y

function readQuantifier(reader: Reader): string {
  quantifier.lastIndex = reader.at
  const match = quantifier.exec(reader.text)
  if (match === null) return ''
  const [found, least, comma, most] = match
  const upper = Number(most ?? (comma === undefined ? least : undefined) ?? 0)
  if (Number(least ?? 0) > mostRepeats || upper > mostRepeats) {
    throw unfit(reader, `repeats more than ${mostRepeats} times`)
  }
  if (most !== undefined && upper < Number(least)) throw unfit(reader, 'ends before it begins')
  reader.at += found.length
  return found
}

const literal = /[ !"#%&',\-/0-9:;<=>@A-Z_`a-z~]/y
const escaped = /\\[.[\](){}|*+?^$\\]/y
const bracket = /\[(\^?)([^[\]\\]+)\]/y

function readAtom(reader: Reader): string {
  if (reader.text[reader.at] === '(') return readGroup(reader)
  if (reader.text[reader.at] === '[') return readBracket(reader)
  const plain = take(reader, literal) ?? take(reader, escaped)
  if (plain !== undefined) return plain[0]
  if (reader.text[reader.at] !== '.') throw unfit(reader, 'is not portable')
  reader.at += 1
  return '[^]'
}

function readGroup(reader: Reader): string {
  if (reader.depth === deepestGroup) throw new PortableFault(`its groups are deeper than ${deepestGroup}`)
  reader.at += 1
  reader.depth += 1
  const inner = readChoice(reader)
  if (reader.text[reader.at] !== ')') throw new PortableFault('a group of it is not closed')
  reader.at += 1
  reader.depth -= 1
  return `(?:${inner})`
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
