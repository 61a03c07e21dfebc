// One command: a simple one, a compound one, or the definition of a function.
import { skipBlanks, skipBlanksAndLines } from './blanks.ts'
import { isAtEnd, lineAt, looksAt, nested, peek, take, takeMatch, type Cursor } from './cursor.ts'
import { parseSimpleCommand, readRedirects } from './parse-simple-command.ts'
import { readArithmetic, readWord } from './read-word.ts'
import type { Case, Command, FunctionDefinition, If, Loop, Redirect, Statements, Word } from './syntax.ts'

const reserved =
  /(?:if|then|elif|else|fi|for|select|while|until|do|done|case|esac|function|\{|\})(?=[\s;&|()<>]|$)/y
const closers = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}'])

function reservedWord(cursor: Cursor): string {
  reserved.lastIndex = cursor.at
  return reserved.exec(cursor.text)?.[0] ?? ''
}

/** Whether what stands here ends the statements before it. */
export function closes(cursor: Cursor): boolean {
  return (
    peek(cursor) === ')' ||
    looksAt(cursor, ';;') ||
    looksAt(cursor, ';&') ||
    closers.has(reservedWord(cursor))
  )
}

export function parseCommand(cursor: Cursor): Command {
  const word = reservedWord(cursor)
  const parse = compound[word] ?? (peek(cursor) === '(' ? parseParentheses : undefined)
  const command = parse && nested(cursor, parse)
  if (command === undefined) return parseFunctionOrSimple(cursor)
  return { ...command, redirects: readRedirects(cursor) }
}

type Parse = (cursor: Cursor) => Command

const compound: Readonly<Partial<Record<string, Parse>>> = {
  if: parseIf,
  for: parseFor,
  select: parseFor,
  while: parseWhile,
  until: parseWhile,
  case: parseCase,
  function: parseFunction,
  '{': parseGroup,
}

const none: readonly Redirect[] = []

function statementsOf(cursor: Cursor): Statements {
  return cursor.reading.statements(cursor)
}

/** The word that ought to be here; what is wrong with a script that has another one is not for us to say. */
function takeWord(cursor: Cursor, word: string): boolean {
  return reservedWord(cursor) === word && take(cursor, word)
}

function parseIf(cursor: Cursor): If {
  const line = lineAt(cursor)
  const branches: { condition: Statements; body: Statements }[] = []
  do {
    cursor.at += looksAt(cursor, 'elif') ? 4 : 2
    const condition = statementsOf(cursor)
    takeWord(cursor, 'then')
    branches.push({ condition, body: statementsOf(cursor) })
  } while (reservedWord(cursor) === 'elif')
  const otherwise = takeWord(cursor, 'else') ? statementsOf(cursor) : undefined
  takeWord(cursor, 'fi')
  return { kind: 'if', branches, otherwise, redirects: none, line }
}

function parseWhile(cursor: Cursor): Loop {
  const line = lineAt(cursor)
  cursor.at += 5
  const condition = statementsOf(cursor)
  return {
    kind: 'loop',
    variable: undefined,
    words: [],
    condition,
    body: loopBody(cursor),
    redirects: none,
    line,
  }
}

function parseFor(cursor: Cursor): Loop {
  const line = lineAt(cursor)
  takeMatch(cursor, /\w+/y)
  skipBlanks(cursor)
  if (looksAt(cursor, '((')) {
    const part = readArithmetic(cursor, cursor.at)
    const words: readonly Word[] = part === undefined ? [] : [{ parts: [part], source: '', line }]
    return {
      kind: 'loop',
      variable: undefined,
      words,
      condition: [],
      body: loopBody(cursor),
      redirects: none,
      line,
    }
  }
  const variable = takeMatch(cursor, /[A-Za-z_]\w*/y)?.[0]
  skipBlanksAndLines(cursor)
  const words = takeMatch(cursor, /in(?=[\s;])/y) === undefined ? undefined : readWords(cursor)
  return { kind: 'loop', variable, words, condition: [], body: loopBody(cursor), redirects: none, line }
}

function readWords(cursor: Cursor): readonly Word[] {
  const words: Word[] = []
  for (;;) {
    skipBlanks(cursor)
    const before = cursor.at
    if (isAtEnd(cursor)) return words
    const word = readWord(cursor)
    if (cursor.at === before) return words
    words.push(word)
  }
}

function loopBody(cursor: Cursor): Statements {
  do skipBlanksAndLines(cursor)
  while (take(cursor, ';'))
  const close = takeWord(cursor, '{') ? '}' : 'done'
  if (close === 'done') takeWord(cursor, 'do')
  const body = statementsOf(cursor)
  takeWord(cursor, close)
  return body
}

function parseCase(cursor: Cursor): Case {
  const line = lineAt(cursor)
  cursor.at += 4
  skipBlanks(cursor)
  const subject = readWord(cursor)
  skipBlanksAndLines(cursor)
  take(cursor, 'in')
  const clauses: { patterns: readonly Word[]; body: Statements }[] = []
  for (;;) {
    skipBlanksAndLines(cursor)
    if (isAtEnd(cursor) || takeWord(cursor, 'esac')) break
    const before = cursor.at
    take(cursor, '(')
    const patterns = readPatterns(cursor)
    clauses.push({ patterns, body: statementsOf(cursor) })
    if (takeMatch(cursor, /;;?&?/y) === undefined && reservedWord(cursor) !== 'esac' && cursor.at === before)
      break
  }
  return { kind: 'case', subject, clauses, redirects: none, line }
}

function readPatterns(cursor: Cursor): readonly Word[] {
  const patterns: Word[] = []
  for (;;) {
    skipBlanks(cursor)
    const before = cursor.at
    patterns.push(readWord(cursor))
    skipBlanks(cursor)
    if (take(cursor, ')')) return patterns
    if (!take(cursor, '|') && cursor.at === before) return patterns
  }
}

function parseGroup(cursor: Cursor): Command {
  const line = lineAt(cursor)
  cursor.at += 1
  const body = statementsOf(cursor)
  takeWord(cursor, '}')
  return { kind: 'group', body, redirects: none, line }
}

/** `((…))`, where it is that, or a subshell. */
function parseParentheses(cursor: Cursor): Command {
  const line = lineAt(cursor)
  const start = cursor.at
  const arithmetic = looksAt(cursor, '((') ? readArithmetic(cursor, start) : undefined
  if (arithmetic !== undefined) {
    const words = [
      { parts: [{ kind: 'text', text: '((', isQuoted: false } as const], source: '((', line },
      { parts: [arithmetic], source: cursor.text.slice(start, cursor.at), line },
    ]
    return { kind: 'simple', assignments: [], words, redirects: none, line }
  }
  cursor.at += 1
  const body = statementsOf(cursor)
  take(cursor, ')')
  return { kind: 'subshell', body, redirects: none, line }
}

function parseFunction(cursor: Cursor): FunctionDefinition {
  cursor.at += 'function'.length
  skipBlanks(cursor)
  return functionOf(cursor, readWord(cursor).source)
}

const definition = /([^\s;&|<>()$`'"\\=]+)[ \t]*\([ \t]*\)/y

function parseFunctionOrSimple(cursor: Cursor): Command {
  const line = lineAt(cursor)
  const name = takeMatch(cursor, definition)?.[1]
  if (name === undefined) return parseSimpleCommand(cursor)
  return (
    nested(cursor, (inner) => functionOf(inner, name)) ?? { kind: 'group', body: [], redirects: none, line }
  )
}

function functionOf(cursor: Cursor, name: string): FunctionDefinition {
  const line = lineAt(cursor)
  takeMatch(cursor, /[ \t]*\([ \t]*\)/y)
  skipBlanksAndLines(cursor)
  return { kind: 'function', name, body: parseCommand(cursor), redirects: none, line }
}
