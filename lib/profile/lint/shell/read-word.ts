// Words and what they expand: quotes, parameters, command substitutions, arrays. One file, since each of these may hold
// any of the others.
import { skipBlanksAndLines } from './blanks.ts'
import {
  isAtEnd,
  lineAt,
  looksAt,
  nested,
  peek,
  take,
  takeMatch,
  takeUntil,
  within,
  type Cursor,
} from './cursor.ts'
import type { Parameter, Part, Word } from './syntax.ts'

/** Where a run of parts ends, and which characters are special in it. */
interface Context {
  readonly isEnd: (cursor: Cursor) => boolean
  /** In double quotes and heredocs a single quote is a character like any other. */
  readonly isQuoted: boolean
}

const bare: Context = { isEnd: (cursor) => ' \t\n;&|<>()'.includes(peek(cursor)), isQuoted: false }
/** After `=~`, where parentheses belong to the expression. */
const expression: Context = { isEnd: (cursor) => ' \t\n'.includes(peek(cursor)), isQuoted: false }
const doubleQuotes: Context = { isEnd: (cursor) => isAtEnd(cursor) || peek(cursor) === '"', isQuoted: true }
const heredoc: Context = { isEnd: isAtEnd, isQuoted: true }

const assignmentStart = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=$/
const plainCharacters = /[^\\$`{}'"\s;&|<>()]+/y

export function readWord(cursor: Cursor): Word {
  return wordOf(cursor, bare)
}

export function readExpression(cursor: Cursor): Word {
  return wordOf(cursor, expression)
}

function wordOf(cursor: Cursor, context: Context): Word {
  const start = cursor.at
  const line = lineAt(cursor)
  const parts = readParts(cursor, context)
  return { parts, source: cursor.text.slice(start, cursor.at), line }
}

/** The text of a heredoc or of an arithmetic expression, from start to end. */
export function readExpanded(cursor: Cursor, start: number, end: number): readonly Part[] {
  return readParts(within(cursor, start, end), heredoc)
}

function readParts(cursor: Cursor, context: Context): readonly Part[] {
  const start = cursor.at
  const parts: Part[] = []
  for (;;) {
    const isEnd = context.isEnd(cursor)
    const part = isEnd ? readGroup(cursor, context, start) : readPart(cursor, context)
    if (part !== undefined) add(parts, part)
    else if (isEnd) return parts
  }
}

function add(parts: Part[], part: Part): void {
  const last = parts.at(-1)
  const isMore = part.kind === 'text' && last?.kind === 'text' && part.isQuoted === last.isQuoted
  if (isMore) parts[parts.length - 1] = { ...part, text: last.text + part.text }
  else parts.push(part)
}

/** A parenthesis inside a word: an array, or a pattern such as `!(a|b)`. */
function readGroup(cursor: Cursor, context: Context, start: number): Part | undefined {
  if (context !== bare || peek(cursor) !== '(' || cursor.at === start) return undefined
  if (assignmentStart.test(cursor.text.slice(start, cursor.at))) return nested(cursor, readArray)
  if (!'?*+@!'.includes(cursor.text[cursor.at - 1] ?? '')) return undefined
  const text = takeMatch(cursor, /\([^)\n]*\)/y)?.[0]
  return text === undefined ? undefined : { kind: 'text', text, isQuoted: false }
}

function readArray(cursor: Cursor): Part {
  cursor.at += 1
  const words: Word[] = []
  for (;;) {
    skipBlanksAndLines(cursor)
    if (isAtEnd(cursor) || take(cursor, ')')) return { kind: 'array', words }
    const before = cursor.at
    words.push(readWord(cursor))
    if (cursor.at === before) cursor.at += 1
  }
}

/** Undefined for what leaves nothing: a line that is continued. */
function readPart(cursor: Cursor, { isQuoted }: Context): Part | undefined {
  switch (peek(cursor)) {
    case '\\':
      return readEscape(cursor, isQuoted)
    case '$':
      return readDollar(cursor, isQuoted)
    case '`':
      return readBackticks(cursor, isQuoted)
    case '{':
      return readTemplate(cursor) ?? readCharacters(cursor, isQuoted)
    case "'":
      return isQuoted ? readCharacters(cursor, isQuoted) : readSingleQuotes(cursor)
    case '"':
      return isQuoted ? readCharacters(cursor, isQuoted) : readDoubleQuotes(cursor)
    default:
      return readCharacters(cursor, isQuoted)
  }
}

function readCharacters(cursor: Cursor, isQuoted: boolean): Part {
  const start = cursor.at
  cursor.at += 1
  takeMatch(cursor, plainCharacters)
  return { kind: 'text', text: cursor.text.slice(start, cursor.at), isQuoted }
}

function readEscape(cursor: Cursor, isQuoted: boolean): Part | undefined {
  const escaped = peek(cursor, 1)
  cursor.at = Math.min(cursor.at + 2, cursor.end)
  if (escaped === '\n' || escaped === '') return undefined
  const isKept = isQuoted && !'$`"\\'.includes(escaped)
  return { kind: 'text', text: isKept ? `\\${escaped}` : escaped, isQuoted: true }
}

function readSingleQuotes(cursor: Cursor): Part {
  cursor.at += 1
  const text = takeUntil(cursor, "'")
  take(cursor, "'")
  return { kind: 'text', text, isQuoted: true }
}

/** Several parts in one: whoever looks into a word looks through its quotes. */
function readDoubleQuotes(cursor: Cursor): Part {
  cursor.at += 1
  const parts = nested(cursor, (inner) => readParts(inner, doubleQuotes)) ?? []
  take(cursor, '"')
  return { kind: 'quoted', parts }
}

function readTemplate(cursor: Cursor): Part | undefined {
  const text = takeMatch(cursor, /\{\{[^}]*\}\}/y)?.[0]
  return text === undefined ? undefined : { kind: 'template', text }
}

function readBackticks(cursor: Cursor, isQuoted: boolean): Part {
  cursor.at += 1
  const start = cursor.at
  takeMatch(cursor, /(?:[^`\\]|\\[^])*/y)
  const inner = within(cursor, start, cursor.at)
  const body = nested(inner, cursor.reading.statements) ?? []
  take(cursor, '`')
  return { kind: 'substitution', body, isQuoted }
}

function readDollar(cursor: Cursor, isQuoted: boolean): Part | undefined {
  if (!isQuoted && looksAt(cursor, "$'")) return readAnsiQuotes(cursor)
  if (!isQuoted && looksAt(cursor, '$"')) {
    cursor.at += 1
    return undefined
  }
  const arithmetic = looksAt(cursor, '$((') ? readArithmetic(cursor, cursor.at + 1) : undefined
  if (arithmetic !== undefined) return arithmetic
  if (take(cursor, '$(')) return readSubstitution(cursor, isQuoted)
  if (take(cursor, '${')) return readBraces(cursor, isQuoted)
  return readName(cursor, isQuoted)
}

function readName(cursor: Cursor, isQuoted: boolean): Part {
  const line = lineAt(cursor)
  const name = takeMatch(cursor, /\$([A-Za-z_]\w*|[0-9@*#?$!-])/y)?.[1]
  return name === undefined ? readCharacters(cursor, isQuoted) : { ...noExpansion, name, isQuoted, line }
}

const noExpansion = { kind: 'parameter', prefix: '', subscript: '', operator: '', argument: [] } as const

function readAnsiQuotes(cursor: Cursor): Part {
  cursor.at += 2
  const text = takeMatch(cursor, /(?:[^'\\]|\\[^])*/y)?.[0] ?? ''
  take(cursor, "'")
  return { kind: 'text', text, isQuoted: true }
}

/** From the first of its two parentheses; undefined where they do not close as those of arithmetic do. */
export function readArithmetic(cursor: Cursor, start: number): Part | undefined {
  let open = 0
  for (let at = start; at < cursor.end; at += 1) {
    const character = cursor.text[at]
    if (character === '(') open += 1
    if (character === ')') open -= 1
    if (open > 0) continue
    if (cursor.text[at - 1] !== ')') return undefined
    const parts = nested(cursor, (inner) => readExpanded(inner, start + 2, at - 1)) ?? []
    cursor.at = at + 1
    return { kind: 'arithmetic', parts }
  }
  return undefined
}

/** After the opening parenthesis. */
export function readSubstitution(cursor: Cursor, isQuoted: boolean): Part {
  const body = nested(cursor, cursor.reading.statements)
  if (body === undefined) cursor.at = cursor.end
  take(cursor, ')')
  return { kind: 'substitution', body: body ?? [], isQuoted }
}

const braced =
  /([#!]?)([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(?:\[([^\]]*)\])?(:?[-=?+]|##?|%%?|\/\/?|\^\^?|,,?|@|:)?/y

function readBraces(cursor: Cursor, isQuoted: boolean): Part {
  const line = lineAt(cursor)
  const [, prefix = '', name = '', subscript = '', operator = ''] = takeMatch(cursor, braced) ?? []
  const argument = nested(cursor, (inner) =>
    readParts(inner, { isEnd: (at) => isAtEnd(at) || peek(at) === '}', isQuoted }),
  )
  if (argument === undefined) takeUntil(cursor, '}')
  take(cursor, '}')
  const parameter: Parameter = {
    ...noExpansion,
    name,
    prefix: prefix === '#' || prefix === '!' ? prefix : '',
    subscript,
    operator,
    argument: argument ?? [],
    isQuoted,
    line,
  }
  return parameter
}
