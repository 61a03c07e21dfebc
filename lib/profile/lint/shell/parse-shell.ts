// A shell script as statements. Whatever it is given it comes to an end with something: a script that no shell accepts is for
// the shell to report.
import { skipBlanks, skipBlanksAndLines, takeLineBreak } from './blanks.ts'
import { isAtEnd, looksAt, peek, startReading, take, takeMatch, type Cursor } from './cursor.ts'
import { closes, parseCommand } from './parse-command.ts'
import { readExpanded } from './read-word.ts'
import type { Part, Pipeline, Program, Statement, Statements } from './syntax.ts'

/** Lines count from `firstLine`; a text that stands in a word of a script has one line. */
export function parseShell(text: string, { firstLine = 1, isOneLine = false } = {}): Program {
  const cursor = startReading(text, { firstLine, isOneLine, statements: parseStatements })
  const parts: Statements[] = []
  while (!isAtEnd(cursor)) {
    parts.push(parseStatements(cursor))
    // What closes nothing is left out.
    if (!isAtEnd(cursor)) skipCloser(cursor)
  }
  // What stands inside of a heredoc starts no line of its own.
  const starts = [...cursor.reading.starts]
  readHeredocs(cursor)
  return { statements: parts.flat(), comments: cursor.reading.comments, starts }
}

/** Up to the end, or to what closes the construct that they stand in. */
function parseStatements(cursor: Cursor): Statements {
  const statements: Statement[] = []
  for (;;) {
    skipSeparators(cursor)
    if (isAtEnd(cursor) || closes(cursor)) return statements
    const before = cursor.at
    statements.push(parseStatement(cursor))
    if (cursor.at === before) cursor.at += 1
  }
}

function skipSeparators(cursor: Cursor): void {
  do skipBlanks(cursor)
  while (takeLineBreak(cursor) || takeMatch(cursor, /;(?![;&])|&(?![&>])/y) !== undefined)
}

function skipCloser(cursor: Cursor): void {
  if (takeMatch(cursor, /;;?&?|\w+/y) === undefined) cursor.at += 1
}

function parseStatement(cursor: Cursor): Statement {
  const first = parsePipeline(cursor)
  const rest: { operator: '&&' | '||'; pipeline: Pipeline }[] = []
  for (;;) {
    skipBlanks(cursor)
    const operator = (['&&', '||'] as const).find((each) => take(cursor, each))
    if (operator === undefined) return { first, rest }
    skipBlanksAndLines(cursor)
    rest.push({ operator, pipeline: parsePipeline(cursor) })
  }
}

function parsePipeline(cursor: Cursor): Pipeline {
  while (takeMatch(cursor, /(?:!|time)(?=[ \t])/y) !== undefined) skipBlanks(cursor)
  const commands = [parseCommand(cursor)]
  for (;;) {
    skipBlanks(cursor)
    if (peek(cursor) !== '|' || looksAt(cursor, '||')) return { commands }
    cursor.at += looksAt(cursor, '|&') ? 2 : 1
    skipBlanksAndLines(cursor)
    commands.push(parseCommand(cursor))
  }
}

/** Reading one may find others, inside of its substitutions. */
function readHeredocs(cursor: Cursor): void {
  const { found } = cursor.reading
  for (let next = found.pop(); next !== undefined; next = found.pop()) {
    const { heredoc, start, end } = next
    const parts = heredoc.isExpanded ? readExpanded(cursor, start, end) : [plainText(cursor, start, end)]
    heredoc.body.line = cursor.reading.lineOf(start)
    for (const part of parts) heredoc.body.parts.push(part)
  }
}

function plainText({ text }: Cursor, start: number, end: number): Part {
  return { kind: 'text', text: text.slice(start, end), isQuoted: true }
}
