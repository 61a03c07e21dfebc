// A script is walked through once, as it would run: functions where they are called, both ways where it branches, loops once
// with everything that their variable may be. What comes out is a list of commands, for rules to look at.
import { definitionsIn } from '../shell/definitions.ts'
import type { Case, Command, If, Loop, Pipeline, Program, Statement, Statements } from '../shell/syntax.ts'
import { carryOut, evaluationOf, redirectsOf } from './carry-out.ts'
import { evaluateWord, evaluateWords } from './evaluate.ts'
import type { Invocation } from './invocation.ts'
import { makeScope } from './scope.ts'
import { either } from './text.ts'
import { apart, emit, isExhausted, perhaps, guardedBy, type Walk } from './walk.ts'

export function walkScript(program: Program): readonly Invocation[] {
  const walk: Walk = {
    scope: makeScope(),
    invocations: [],
    functions: definitionsIn(program.statements),
    calls: [],
    returns: [],
    isTraced: false,
    isFed: false,
    isCertain: true,
    guards: [],
    run,
    runCommand,
  }
  run(walk, program.statements)
  return walk.invocations
}

/** What comes after something that never goes on is never reached. */
function run(walk: Walk, statements: Statements): boolean {
  return !isExhausted(walk) && statements.every((statement) => runStatement(walk, statement))
}

function runStatement(walk: Walk, { first, rest }: Statement): boolean {
  const { guards } = walk
  let goesOn = true
  let deciding = guardedBy(walk, guards, () => {
    goesOn = runPipeline(walk, first)
  })
  for (const { pipeline } of rest) {
    walk.guards = deciding
    deciding = guardedBy(walk, deciding, () => runEventually(walk, pipeline))
  }
  walk.guards = guards
  return goesOn
}

/** Where it ends the script it changes nothing for what comes after. */
function runEventually(walk: Walk, pipeline: Pipeline): void {
  const { isTraced } = walk
  const goesOn = perhaps(walk, () => runPipeline(walk, pipeline))
  walk.isTraced = isTraced || (goesOn && walk.isTraced)
}

function runPipeline(walk: Walk, { commands }: Pipeline): boolean {
  const [only, ...others] = commands
  if (only !== undefined && others.length === 0) return runCommand(walk, only)
  const { isFed } = walk
  for (const [index, command] of commands.entries()) {
    walk.isFed = isFed || index > 0
    apart(walk, () => perhaps(walk, () => runCommand(walk, command)))
  }
  walk.isFed = isFed
  return true
}

function runCommand(walk: Walk, command: Command): boolean {
  const goesOn = runKind(walk, command)
  if (command.kind !== 'simple' && command.redirects.length > 0) {
    emit(walk, { line: command.line, redirects: redirectsOf(walk, command.redirects) })
  }
  return goesOn
}

function runKind(walk: Walk, command: Command): boolean {
  switch (command.kind) {
    case 'simple':
      return carryOut(walk, command)
    case 'group':
      return run(walk, command.body)
    case 'subshell':
      apart(walk, () => run(walk, command.body))
      return true
    case 'if':
      return runIf(walk, command)
    case 'loop':
      return runLoop(walk, command)
    case 'case':
      return runCase(walk, command)
    case 'function':
      return true
  }
}

function runIf(walk: Walk, { branches, otherwise }: If): boolean {
  const { guards } = walk
  const outcomes: boolean[] = []
  for (const { condition, body } of branches) {
    walk.guards = guardedBy(walk, walk.guards, () => void run(walk, condition))
    runBranch(walk, body, outcomes)
  }
  if (otherwise === undefined) outcomes.push(walk.isTraced)
  else runBranch(walk, otherwise, outcomes)
  walk.guards = guards
  walk.isTraced = outcomes.includes(true)
  return outcomes.length > 0
}

/** Notes whether it is traced at its end, if that is reached; the next one starts as this one did. */
function runBranch(walk: Walk, body: Statements, outcomes: boolean[]): void {
  const { isTraced } = walk
  if (perhaps(walk, () => run(walk, body))) outcomes.push(walk.isTraced)
  walk.isTraced = isTraced
}

function runLoop(walk: Walk, loop: Loop): boolean {
  const { variable, words, condition, body, line } = loop
  if (words !== undefined && words.length > 0) {
    const items = evaluateWords(evaluationOf(walk), words)
    emit(walk, { line, words: items })
    if (variable !== undefined)
      walk.scope.set(variable, [either(items.map(({ texts }) => texts))], { isCertain: true })
  } else if (words === undefined && variable !== undefined) {
    walk.scope.set(variable, [either(walk.scope.positional)], { isCertain: true })
  }
  const { guards, isTraced } = walk
  walk.guards = guardedBy(walk, guards, () => void run(walk, condition))
  perhaps(walk, () => run(walk, body))
  walk.guards = guards
  walk.isTraced ||= isTraced
  return true
}

function runCase(walk: Walk, { subject, clauses, line }: Case): boolean {
  emit(walk, { line, words: [evaluateWord(evaluationOf(walk), subject)] })
  const outcomes: boolean[] = []
  for (const { body } of clauses) runBranch(walk, body, outcomes)
  const hasDefault = clauses.some(({ patterns }) => patterns.some(({ source }) => source === '*'))
  if (!hasDefault) outcomes.push(walk.isTraced)
  walk.isTraced = outcomes.includes(true)
  return outcomes.length > 0
}
