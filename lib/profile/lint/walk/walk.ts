// What a walk through a script carries along.
import type { Command, Statements } from '../shell/syntax.ts'
import type { Argument, Invocation } from './invocation.ts'
import type { Scope } from './scope.ts'

export interface Walk {
  readonly scope: Scope
  /** In the order in which they are carried out, each place once per way of getting there. */
  readonly invocations: Invocation[]
  /** Every definition of each name. */
  readonly functions: Map<string, readonly Command[]>
  /** Functions that are being carried out; none is entered twice. */
  readonly calls: string[]
  /** Where `return` was met in the function that is carried out, whether it was traced there. */
  returns: boolean[]
  isTraced: boolean
  /** It stands behind a pipe. */
  isFed: boolean
  /** Nothing decides whether this is carried out. */
  isCertain: boolean
  guards: readonly string[]
  /** Whether what comes after them is reached. */
  readonly run: (walk: Walk, statements: Statements) => boolean
  readonly runCommand: (walk: Walk, command: Command) => boolean
}

const mostInvocations = 20_000

/** Functions that call each other in every combination would never be through. */
export function isExhausted({ invocations }: Walk): boolean {
  return invocations.length >= mostInvocations
}

export function emit(walk: Walk, invocation: Partial<Invocation> & Pick<Invocation, 'line'>): void {
  if (isExhausted(walk)) return
  walk.invocations.push({
    program: '',
    arguments: [],
    words: [],
    assigned: [],
    redirects: [],
    guards: walk.guards,
    isTraced: walk.isTraced,
    isBuiltin: true,
    isFed: walk.isFed || (invocation.redirects ?? []).some(({ operator }) => /^<[<&]?/.test(operator)),
    ...invocation,
  })
}

/** Carries out what may be left out, or happens at some other time. */
export function perhaps<T>(walk: Walk, body: () => T): T {
  const { isCertain } = walk
  walk.isCertain = false
  try {
    return body()
  } finally {
    walk.isCertain = isCertain
  }
}

/** Carries out what has a process of its own: tracing that it switches stays its own. */
export function apart<T>(walk: Walk, body: () => T): T {
  const { isTraced } = walk
  try {
    return body()
  } finally {
    walk.isTraced = isTraced
  }
}

const mostGuards = 64

/** Adds the programs that `body` carries out to those that decide about what comes after it. */
export function guardedBy(walk: Walk, guards: readonly string[], body: () => void): readonly string[] {
  const start = walk.invocations.length
  body()
  const names = new Set(guards)
  for (const { program } of walk.invocations.slice(start)) if (names.size < mostGuards) names.add(program)
  return names.size === guards.length ? guards : [...names]
}

export function argumentTexts(argumentsOf: readonly Argument[]): readonly string[] {
  return argumentsOf.flatMap(({ texts }) => texts)
}
