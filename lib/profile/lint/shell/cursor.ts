// Where the reading of a script has come to. Positions are those of the whole text, also while a part of it is read.
import type { Comment, HeredocBody, Statements } from './syntax.ts'

/** Shared by all cursors of a script. */
export interface Reading {
  readonly lineOf: (at: number) => number
  /** Reads what stands between parentheses and backticks; given by the parser, which words know nothing of. */
  readonly statements: (cursor: Cursor) => Statements
  readonly comments: Comment[]
  readonly starts: number[]
  /** Heredocs whose lines begin after the next line break. */
  readonly announced: Heredoc[]
  /** Heredocs whose lines were found; their text is read last. */
  readonly found: FoundHeredoc[]
}

export interface Heredoc {
  readonly delimiter: string
  readonly isExpanded: boolean
  readonly stripsTabs: boolean
  readonly body: HeredocBody
}

export interface FoundHeredoc {
  readonly heredoc: Heredoc
  readonly start: number
  readonly end: number
}

export interface Cursor {
  readonly text: string
  readonly end: number
  readonly reading: Reading
  /** How many constructs are open around it. */
  readonly depth: number
  at: number
}

/** Deeper nesting is taken for plain text: no script needs it, and reading must end. */
const greatestDepth = 100

export interface Beginning {
  readonly firstLine: number
  /** Everything counts as the first line. */
  readonly isOneLine: boolean
  readonly statements: Reading['statements']
}

export function startReading(text: string, { firstLine, isOneLine, statements }: Beginning): Cursor {
  const breaks: number[] = []
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks.push(at)
  const reading: Reading = {
    lineOf: (at) => firstLine + (isOneLine ? 0 : countBelow(breaks, at)),
    statements,
    comments: [],
    starts: [firstLine],
    announced: [],
    found: [],
  }
  return { text, at: 0, end: text.length, depth: 0, reading }
}

/** How many of the sorted numbers are below the limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}

export function lineAt({ reading, at }: Cursor): number {
  return reading.lineOf(at)
}

export function isAtEnd({ at, end }: Cursor): boolean {
  return at >= end
}

export function peek({ text, at, end }: Cursor, offset = 0): string {
  return at + offset < end ? (text[at + offset] ?? '') : ''
}

export function looksAt({ text, at, end }: Cursor, expected: string): boolean {
  return at + expected.length <= end && text.startsWith(expected, at)
}

/** Moves past what is expected, if it is there. */
export function take(cursor: Cursor, expected: string): boolean {
  if (!looksAt(cursor, expected)) return false
  cursor.at += expected.length
  return true
}

/** What a sticky expression finds here; moves past it. */
export function takeMatch(cursor: Cursor, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = cursor.at
  const found = sticky.exec(cursor.text)
  if (found === null || cursor.at + found[0].length > cursor.end) return undefined
  cursor.at += found[0].length
  return found
}

/** To just before the text, or to the end. */
export function takeUntil(cursor: Cursor, text: string): string {
  const start = cursor.at
  const found = cursor.text.indexOf(text, start)
  cursor.at = found < 0 || found > cursor.end ? cursor.end : found
  return cursor.text.slice(start, cursor.at)
}

/** A cursor over a part, one construct further in. */
export function within(cursor: Cursor, start: number, end: number): Cursor {
  return { ...cursor, at: start, end, depth: cursor.depth + 1 }
}

/** Carries out what reads a nested construct; undefined where nesting has gone too far. */
export function nested<T>(cursor: Cursor, read: (inner: Cursor) => T): T | undefined {
  if (cursor.depth >= greatestDepth) return undefined
  const inner = within(cursor, cursor.at, cursor.end)
  const result = read(inner)
  cursor.at = inner.at
  return result
}
