// All functions of a script: one may be called above the place where it is defined.
import type { Command, Statements } from './syntax.ts'

/** Of one name there are as many as there are branches; more are not looked at. */
const mostOfOneName = 8

export function definitionsIn(statements: Statements): Map<string, readonly Command[]> {
  const found = new Map<string, readonly Command[]>()
  const look = (command: Command): void => {
    if (command.kind === 'function') {
      const others = found.get(command.name) ?? []
      if (others.length < mostOfOneName) found.set(command.name, [...others, command.body])
    }
    for (const inner of innerCommands(command)) look(inner)
  }
  for (const command of commandsOf(statements)) look(command)
  return found
}

export function commandsOf(statements: Statements): readonly Command[] {
  return statements.flatMap(({ first, rest }) =>
    [first, ...rest.map(({ pipeline }) => pipeline)].flatMap(({ commands }) => commands),
  )
}

/** Those right inside of it; what stands in its words is not among them. */
export function innerCommands(command: Command): readonly Command[] {
  switch (command.kind) {
    case 'simple':
      return []
    case 'group':
    case 'subshell':
      return commandsOf(command.body)
    case 'if':
      return [
        ...command.branches.flatMap(({ condition, body }) => [...commandsOf(condition), ...commandsOf(body)]),
        ...commandsOf(command.otherwise ?? []),
      ]
    case 'loop':
      return [...commandsOf(command.condition), ...commandsOf(command.body)]
    case 'case':
      return command.clauses.flatMap(({ body }) => commandsOf(body))
    case 'function':
      return [command.body]
  }
}
