// Every `$name` and `${name…}` of a script, wherever it stands, in the order of lines.
import { commandsOf, innerCommands } from './definitions.ts'
import type { Command, Parameter, Part, Redirect, Statements, Word } from './syntax.ts'

export function parametersIn(statements: Statements): readonly Parameter[] {
  return commandsOf(statements)
    .flatMap(inCommand)
    .sort((a, b) => a.line - b.line)
}

export function parametersInParts(parts: readonly Part[]): readonly Parameter[] {
  return parts.flatMap(inPart)
}

function inCommand(command: Command): readonly Parameter[] {
  return [
    ...inWords(wordsOf(command)),
    ...command.redirects.flatMap(inRedirect),
    ...innerCommands(command).flatMap(inCommand),
  ]
}

function wordsOf(command: Command): readonly Word[] {
  switch (command.kind) {
    case 'simple':
      return [...command.assignments.map(({ value }) => value), ...command.words]
    case 'loop':
      return command.words ?? []
    case 'case':
      return [command.subject, ...command.clauses.flatMap(({ patterns }) => patterns)]
    case 'group':
    case 'subshell':
    case 'if':
    case 'function':
      return []
  }
}

function inRedirect({ target, body }: Redirect): readonly Parameter[] {
  return parametersInParts([...target.parts, ...body.parts])
}

function inWords(words: readonly Word[]): readonly Parameter[] {
  return words.flatMap(({ parts }) => parametersInParts(parts))
}

function inPart(part: Part): readonly Parameter[] {
  switch (part.kind) {
    case 'text':
    case 'template':
      return []
    case 'quoted':
    case 'arithmetic':
      return parametersInParts(part.parts)
    case 'array':
      return inWords(part.words)
    case 'substitution':
      return parametersIn(part.body)
    case 'parameter':
      return [part, ...parametersInParts(part.argument)]
  }
}
