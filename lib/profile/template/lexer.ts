// Splits a template into text and the tokens of its actions. Knows delimiters, trim markers and comments; whether a token
// may stand where it stands is the parser's business.
import { TemplateFault } from './template-fault.ts'

export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'dot'
  | 'field'
  | 'variable'
  | 'identifier'
  | 'keyword'
  | 'bool'
  | 'nil'
  | 'number'
  | 'complex'
  | 'char'
  | 'string'
  | 'rawString'
  | 'declare'
  | 'assign'
  | 'pipe'
  | 'leftParen'
  | 'rightParen'
  | 'punctuation'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly line: number
}

const keywords = new Set([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'template',
  'with',
])
const space = /[ \t\r\n]/
const leadingSpaces = /^[ \t\r\n]+/
const closing = /[ \t\r\n]-\}\}|\}\}/y
const singleCharacters: Readonly<Record<string, TokenKind>> = {
  '=': 'assign',
  '|': 'pipe',
  '(': 'leftParen',
  ')': 'rightParen',
}
// Each alternative of a number: prefixed digits (hexadecimal with an exponent of 2), or decimal with an exponent of 10.
const numberShape =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y
const word = /[\p{L}\p{Nd}_]+/uy
const quoted = {
  '"': { kind: 'string', shape: /"(?:[^"\\\n]|\\[^\n])*"/y, name: 'quoted string' },
  "'": { kind: 'char', shape: /'(?:[^'\\\n]|\\[^\n])*'/y, name: 'character constant' },
  '`': { kind: 'rawString', shape: /`[^`]*`/y, name: 'raw quoted string' },
} as const

export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = []
  const at = makeLineCounter(source)
  let position = 0
  for (;;) {
    const open = source.indexOf('{{', position)
    if (open < 0) break
    const isTrimmed = source[open + 2] === '-' && space.test(source[open + 3] ?? '')
    const text = source.slice(position, open)
    pushText(tokens, isTrimmed ? withoutTrailingSpaces(text) : text, at(position))
    const inside = open + (isTrimmed ? 4 : 2)
    position = source.startsWith('/*', inside)
      ? skipComment(source, inside, at)
      : lexAction({ source, tokens, at }, open, inside)
  }
  pushText(tokens, source.slice(position), at(position))
  tokens.push({ kind: 'end', text: '', line: at(source.length) })
  return tokens
}

function withoutTrailingSpaces(text: string): string {
  let end = text.length
  while (end > 0 && space.test(text[end - 1] ?? '')) end -= 1
  return text.slice(0, end)
}

interface Lexing {
  readonly source: string
  readonly tokens: Token[]
  readonly at: (position: number) => number
}

function pushText(tokens: Token[], text: string, line: number): void {
  if (text !== '') tokens.push({ kind: 'text', text, line })
}

function skipComment(source: string, start: number, at: (position: number) => number): number {
  const end = source.indexOf('*/', start + 2)
  if (end < 0) throw new TemplateFault('parse', at(start), 'the comment is not closed')
  const close = match(closing, source, end + 2)
  if (close === undefined) {
    throw new TemplateFault('parse', at(end), 'a comment must be alone in its action: "}}" must follow "*/"')
  }
  return afterClose(source, end + 2, close)
}

/** Where text goes on after a closing delimiter, which may trim the spaces that follow it. */
function afterClose(source: string, position: number, close: string): number {
  const end = position + close.length
  if (!close.includes('-')) return end
  return end + (leadingSpaces.exec(source.slice(end))?.[0].length ?? 0)
}

function lexAction(lexing: Lexing, open: number, inside: number): number {
  const { source, tokens, at } = lexing
  tokens.push({ kind: 'open', text: '{{', line: at(open) })
  let position = inside
  let depth = 0
  for (;;) {
    const close = match(closing, source, position)
    if (close !== undefined) {
      if (depth > 0) throw new TemplateFault('parse', at(position), 'a left parenthesis is not closed')
      tokens.push({ kind: 'close', text: '}}', line: at(position) })
      return afterClose(source, position, close)
    }
    const token = lexToken(source, position, at)
    if (token.kind === 'leftParen') depth += 1
    if (token.kind === 'rightParen') depth -= 1
    if (depth < 0) throw new TemplateFault('parse', token.line, 'a right parenthesis was not opened')
    tokens.push(token)
    position += token.text.length
  }
}

function lexToken(source: string, position: number, at: (position: number) => number): Token {
  const line = at(position)
  const character = source[position]
  if (character === undefined) throw new TemplateFault('parse', line, 'the action is not closed')
  if (space.test(character)) return { kind: 'space', text: lexSpaces(source, position), line }
  const single = singleCharacters[character]
  if (single !== undefined) return { kind: single, text: character, line }
  if (character === ':') {
    if (source[position + 1] === '=') return { kind: 'declare', text: ':=', line }
    throw new TemplateFault('parse', line, 'unexpected ":", a declaration is written ":="')
  }
  if (character === '"' || character === "'" || character === '`') return lexQuoted(source, position, line)
  if (character === '$') return lexName(source, position, { kind: 'variable', line })
  if (character === '.' && !/[0-9]/.test(source[position + 1] ?? '')) {
    return lexName(source, position, { kind: 'field', line })
  }
  if (/[.+\-0-9]/.test(character)) return lexNumber(source, position, line)
  if (match(word, source, position) !== undefined) return lexWord(source, position, line)
  if (/[!-~]/.test(character)) return { kind: 'punctuation', text: character, line }
  throw new TemplateFault('parse', line, `unrecognized character ${codeOf(source, position)} in an action`)
}

/** A run of spaces, without the one that belongs to a trimming delimiter. */
function lexSpaces(source: string, position: number): string {
  const run = leadingSpaces.exec(source.slice(position))?.[0] ?? ''
  const isBeforeTrim = source.startsWith('-}}', position + run.length)
  return isBeforeTrim ? run.slice(0, -1) : run
}

function lexQuoted(source: string, position: number, line: number): Token {
  const { kind, shape, name } = quoted[source[position] === '"' ? '"' : source[position] === "'" ? "'" : '`']
  const text = match(shape, source, position)
  if (text === undefined) throw new TemplateFault('parse', line, `a ${name} is not terminated`)
  return { kind, text, line }
}

/** `.`, `.name`, `$` or `$name`: the first character is known. */
function lexName(
  source: string,
  position: number,
  { kind, line }: { readonly kind: 'field' | 'variable'; readonly line: number },
): Token {
  const name = match(word, source, position + 1) ?? ''
  const text = source.slice(position, position + 1 + name.length)
  requireTerminator(source, position + text.length, line)
  return { kind: kind === 'field' && name === '' ? 'dot' : kind, text, line }
}

function lexWord(source: string, position: number, line: number): Token {
  const text = match(word, source, position) ?? ''
  requireTerminator(source, position + text.length, line)
  return { kind: wordKind(text), text, line }
}

function wordKind(text: string): TokenKind {
  if (keywords.has(text)) return 'keyword'
  if (text === 'nil') return 'nil'
  return text === 'true' || text === 'false' ? 'bool' : 'identifier'
}

function lexNumber(source: string, position: number, line: number): Token {
  const first = match(numberShape, source, position) ?? ''
  let end = position + first.length
  let kind: TokenKind = 'number'
  if (/[+-]/.test(source[end] ?? '')) {
    end += match(numberShape, source, end)?.length ?? 0
    kind = 'complex'
  }
  const text = source.slice(position, end)
  const isCut = match(word, source, end) !== undefined
  if (isCut || (kind === 'complex' && !text.endsWith('i'))) {
    throw new TemplateFault('parse', line, `bad number syntax "${source.slice(position, end + 1)}"`)
  }
  return { kind, text, line }
}

function requireTerminator(source: string, position: number, line: number): void {
  const character = source[position]
  if (character === undefined || /[ \t\r\n.,|:()]/.test(character) || source.startsWith('}}', position))
    return
  throw new TemplateFault('parse', line, `unexpected character ${codeOf(source, position)} after a name`)
}

function codeOf(source: string, position: number): string {
  const code = source.codePointAt(position) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

function match(shape: RegExp, source: string, position: number): string | undefined {
  shape.lastIndex = position
  return shape.exec(source)?.[0]
}

/** Line numbers for positions that only grow. */
function makeLineCounter(source: string): (position: number) => number {
  let line = 1
  let counted = 0
  return (position) => {
    for (let next = source.indexOf('\n', counted); next >= 0 && next < position;) {
      line += 1
      counted = next + 1
      next = source.indexOf('\n', counted)
    }
    return line
  }
}
