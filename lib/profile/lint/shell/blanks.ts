// What stands between words and between commands: blanks, comments, line breaks, and the lines of heredocs after them.
import { isAtEnd, lineAt, looksAt, peek, take, takeMatch, type Cursor, type Heredoc } from './cursor.ts'

const control =
  /\{\{-?\s*(?:if|else|end|range|with|define|block|template|break|continue|\/\*|\$\w*\s*:?=)(?:[^}]|\}(?!\}))*\}\}/y
const blanks = /(?:[ \t]|\\\n)+/y
const comment = /#([^\n]*)/y

/** Branches of a template: they are no part of any command. */
export function skipControl(cursor: Cursor): boolean {
  return looksAt(cursor, '{{') && takeMatch(cursor, control) !== undefined
}

/** To the next word or operator of the same line of commands. */
export function skipBlanks(cursor: Cursor): void {
  while (takeMatch(cursor, blanks) !== undefined || skipComment(cursor) || skipControl(cursor));
}

/** To the next word or operator, on whatever line. */
export function skipBlanksAndLines(cursor: Cursor): void {
  do skipBlanks(cursor)
  while (takeLineBreak(cursor))
}

function skipComment(cursor: Cursor): boolean {
  const before = cursor.text[cursor.at - 1] ?? '\n'
  if (peek(cursor) !== '#' || !' \t\n;&|('.includes(before)) return false
  const line = lineAt(cursor)
  const lineStart = cursor.text.lastIndexOf('\n', cursor.at - 1) + 1
  const isAlone = cursor.text.slice(lineStart, cursor.at).trim() === ''
  const text = takeMatch(cursor, comment)?.[1] ?? ''
  if (cursor.at > cursor.end) cursor.at = cursor.end
  cursor.reading.comments.push({ line, text, isAlone })
  return true
}

export function takeLineBreak(cursor: Cursor): boolean {
  if (!take(cursor, '\n')) return false
  for (const heredoc of cursor.reading.announced.splice(0)) takeHeredoc(cursor, heredoc)
  cursor.reading.starts.push(lineAt(cursor))
  return true
}

function takeHeredoc(cursor: Cursor, heredoc: Heredoc): void {
  const start = cursor.at
  while (!isAtEnd(cursor)) {
    const lineStart = cursor.at
    const found = cursor.text.indexOf('\n', lineStart)
    const lineEnd = found < 0 || found > cursor.end ? cursor.end : found
    const line = cursor.text.slice(lineStart, lineEnd)
    cursor.at = Math.min(lineEnd + 1, cursor.end)
    if ((heredoc.stripsTabs ? line.replace(/^\t+/, '') : line) !== heredoc.delimiter) continue
    cursor.reading.found.push({ heredoc, start, end: lineStart })
    return
  }
  cursor.reading.found.push({ heredoc, start, end: cursor.at })
}
