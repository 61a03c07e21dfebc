// Simple commands: assignments, calls of functions, builtins that matter, and everything else, which is a program.
import type { Redirect, SimpleCommand, Statements } from '../shell/syntax.ts'
import { isBuiltin, runBuiltin } from './builtins.ts'
import { arrayElements, evaluateWord, evaluateWords, type Evaluation } from './evaluate.ts'
import { baseName, programIndex, type Argument, type Invocation } from './invocation.ts'
import { anything, hasHole, mayBe, secretsIn, something, type Texts } from './text.ts'
import { apart, argumentTexts, emit, isExhausted, perhaps, type Walk } from './walk.ts'

export function evaluationOf(walk: Walk): Evaluation {
  return { scope: walk.scope, substitute: (body) => substitute(walk, body) }
}

/** What a command substitution prints is unknown, but for a file that was made, and a secret that was passed through. */
function substitute(walk: Walk, body: Statements): Texts {
  const start = walk.invocations.length
  apart(walk, () => perhaps(walk, () => walk.run(walk, body)))
  const run = walk.invocations.slice(start)
  if (run.at(-1)?.program === 'mktemp') return [`/tmp/${something}`]
  const printed = run.filter(({ program }) => program === 'echo' || program === 'printf')
  return [secretsIn(printed.flatMap(({ words }) => argumentTexts(words))) || anything]
}

export function redirectsOf(walk: Walk, redirects: readonly Redirect[]): Invocation['redirects'] {
  const evaluation = evaluationOf(walk)
  return redirects.map(({ operator, target, body }) => ({
    operator,
    target: evaluateWord(evaluation, target),
    body: evaluateWord(evaluation, { ...body, source: '' }),
  }))
}

/** Whether the command after it is reached. */
export function carryOut(walk: Walk, command: SimpleCommand): boolean {
  const assigned = assign(walk, command)
  const words = evaluateWords(evaluationOf(walk), command.words)
  const rest = { line: command.line, assigned, redirects: redirectsOf(walk, command.redirects) }
  const [first, ...others] = words
  if (first === undefined) {
    emit(walk, rest)
    return true
  }
  const called = functionsCalled(walk, first)
  if (called.length > 0) emit(walk, { ...rest, words })
  const returns = called.map((name) => callFunction(walk, name, others))
  const programs = first.texts.filter(
    (text) => !walk.functions.has(text) && !(called.length > 0 && hasHole(text)),
  )
  const goOn = programs.map((name) => runProgram(walk, { ...first, texts: [name] }, { words, rest }))
  return [...returns, ...goOn].some(Boolean) || returns.length + goOn.length === 0
}

/** `install_on_$family` may be every function whose name begins like that. */
function functionsCalled({ functions }: Walk, { texts }: Argument): readonly string[] {
  return texts.flatMap((text) => {
    if (!hasHole(text)) return functions.has(text) ? [text] : []
    return [...functions.keys()].filter((name) => mayBe(text, name))
  })
}

function assign(walk: Walk, { assignments, words }: SimpleCommand): readonly Argument[] {
  const evaluation = evaluationOf(walk)
  return assignments.map(({ name, isAddition, value }) => {
    const elements = arrayElements(evaluation, value)
    const argument =
      elements === undefined ? evaluateWord(evaluation, value) : { texts: elements.flat(), word: value }
    // Before a program it is set for that program alone.
    const isKept = words.length === 0
    if (isKept) walk.scope.set(name, elements ?? [argument.texts], { isCertain: walk.isCertain, isAddition })
    return argument
  })
}

interface Rest {
  readonly words: readonly Argument[]
  readonly rest: Pick<Invocation, 'line' | 'assigned' | 'redirects'>
}

function runProgram(walk: Walk, first: Argument, { words, rest }: Rest): boolean {
  const all = [first, ...words.slice(1)]
  const index = programIndex(all)
  const path = all[index]?.texts[0] ?? ''
  const program = path.includes(anything) ? '' : baseName(path)
  // With a folder before it, a name is that of a program.
  const isName = program === '' || program === path
  const invocation = {
    ...rest,
    program,
    arguments: all.slice(index + 1),
    words: all,
    isBuiltin:
      isName && isBuiltin(program) && all.slice(0, index).every(({ texts: [name = ''] }) => isBuiltin(name)),
  }
  emit(walk, invocation)
  const isReplaced = index > 0 && all[0]?.texts[0] === 'exec'
  return runBuiltin(walk, invocation) && !isReplaced
}

function callFunction(walk: Walk, name: string, argumentsOf: readonly Argument[]): boolean {
  if (walk.calls.includes(name) || isExhausted(walk)) return true
  const { returns } = walk
  walk.calls.push(name)
  walk.returns = []
  const goesOn = walk.scope.call(
    argumentsOf.map(({ texts }) => texts),
    () => (walk.functions.get(name) ?? []).map((body) => walk.runCommand(walk, body)).some(Boolean),
  )
  const endings = goesOn ? [...walk.returns, walk.isTraced] : walk.returns
  walk.isTraced = endings.length === 0 ? walk.isTraced : endings.includes(true)
  walk.returns = returns
  walk.calls.pop()
  return endings.length > 0
}
