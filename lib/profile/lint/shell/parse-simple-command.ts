// A simple command: assignments, words, redirections, in the order in which they come. `[[ … ]]` is one as well.
import { skipBlanks, skipBlanksAndLines } from './blanks.ts'
import { isAtEnd, lineAt, looksAt, peek, takeMatch, type Cursor } from './cursor.ts'
import { readExpression, readSubstitution, readWord } from './read-word.ts'
import type { Assignment, HeredocBody, Redirect, SimpleCommand, Word } from './syntax.ts'

const redirection = /(?:\d*|\{\w+\})(<<<|<<-|<<|<>|<&|&>>|&>|>>|>\||>&|>|<)/y

export function parseSimpleCommand(cursor: Cursor): SimpleCommand {
  const line = lineAt(cursor)
  const assignments: Assignment[] = []
  const words: Word[] = []
  const redirects: Redirect[] = []
  for (;;) {
    skipBlanks(cursor)
    const redirect = readRedirect(cursor)
    if (redirect !== undefined) {
      redirects.push(redirect)
      continue
    }
    const before = cursor.at
    const word = readArgument(cursor)
    if (cursor.at === before) return { kind: 'simple', assignments, words, redirects, line }
    const assignment = words.length === 0 ? assignmentOf(word) : undefined
    if (assignment !== undefined) assignments.push(assignment)
    else words.push(word)
    if (word.source === '[[' && words.length === 1) {
      const test = [word, ...readTest(cursor)]
      return { kind: 'simple', assignments, words: test, redirects: readRedirects(cursor), line }
    }
  }
}

/** After a compound command. */
export function readRedirects(cursor: Cursor): readonly Redirect[] {
  const redirects: Redirect[] = []
  for (;;) {
    skipBlanks(cursor)
    const redirect = readRedirect(cursor)
    if (redirect === undefined) return redirects
    redirects.push(redirect)
  }
}

function readArgument(cursor: Cursor): Word {
  if (!looksAt(cursor, '<(') && !looksAt(cursor, '>(')) return readWord(cursor)
  const line = lineAt(cursor)
  const start = cursor.at
  cursor.at += 2
  const part = readSubstitution(cursor, true)
  const { parts } = readWord(cursor)
  return { parts: [part, ...parts], source: cursor.text.slice(start, cursor.at), line }
}

function readRedirect(cursor: Cursor): Redirect | undefined {
  if (looksAt(cursor, '<(') || looksAt(cursor, '>(')) return undefined
  const operator = takeMatch(cursor, redirection)?.[1]
  if (operator === undefined) return undefined
  skipBlanks(cursor)
  const target = readArgument(cursor)
  const body: HeredocBody = { parts: [], line: target.line }
  if (operator === '<<' || operator === '<<-') {
    const isExpanded = !/['"\\]/.test(target.source)
    const delimiter = target.source.replaceAll(/['"\\]/g, '')
    cursor.reading.announced.push({ delimiter, isExpanded, stripsTabs: operator === '<<-', body })
  }
  return { operator, target, body }
}

const assigned = /^([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=/

/** A word that assigns, taken apart; undefined for any other. */
export function assignmentOf({ parts: [first, ...rest], source, line }: Word): Assignment | undefined {
  if (first?.kind !== 'text' || first.isQuoted) return undefined
  const found = assigned.exec(first.text)
  if (found === null) return undefined
  const [start, name = '', subscript, sign] = found
  const value: Word = {
    parts: [{ ...first, text: first.text.slice(start.length) }, ...rest],
    source: source.slice(start.length),
    line,
  }
  return { name, isAddition: sign === '+' || subscript !== undefined, value }
}

/** Up to and with `]]`; what separates commands elsewhere compares and joins here. */
function readTest(cursor: Cursor): readonly Word[] {
  const words: Word[] = []
  for (;;) {
    skipBlanksAndLines(cursor)
    if (isAtEnd(cursor)) return words
    const before = cursor.at
    const word = words.at(-1)?.source === '=~' ? readExpression(cursor) : readWord(cursor)
    if (cursor.at > before) words.push(word)
    else if (peek(cursor) !== '') cursor.at += 1
    if (word.source === ']]') return words
  }
}
