// Builtins of the shell that change what comes after them.
import { parseShell } from '../shell/parse-shell.ts'
import { definitionsIn } from '../shell/definitions.ts'
import type { Word } from '../shell/syntax.ts'
import type { Argument, Invocation } from './invocation.ts'
import { either, hasHole, unknown, type Texts } from './text.ts'
import { apart, perhaps, type Walk } from './walk.ts'

const names = new Set(
  ': . [ [[ (( alias bg break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
)

export function isBuiltin(program: string): boolean {
  return program === '' || names.has(program)
}

type Effect = (walk: Walk, args: readonly Argument[]) => void

const effects: Readonly<Partial<Record<string, Effect>>> = {
  set: runSet,
  shift: runShift,
  read: forget,
  mapfile: forget,
  readarray: forget,
  getopts: forget,
  printf: runPrintf,
  local: declareLocal,
  declare: declareLocal,
  typeset: declareLocal,
  export: declareGlobal,
  readonly: declareGlobal,
  eval: (walk, args) => runText(walk, args.length === 1 ? args[0] : undefined),
  trap: (walk, args) => runText(walk, args[0]),
  bash: (walk, args) => runText(walk, commandText(args)),
  sh: (walk, args) => runText(walk, commandText(args)),
}

/** Stands among the calls of functions for commands that stand in a text. */
const inText = ' text'

/** Whether the command after it is reached. */
export function runBuiltin(
  walk: Walk,
  { program, arguments: args, redirects }: Pick<Invocation, 'program' | 'arguments' | 'redirects'>,
): boolean {
  if (/^(?:ba)?sh$/.test(program)) for (const { body } of redirects) runText(walk, body)
  if (program === 'return') walk.returns.push(walk.isTraced)
  if (program === 'return' || program === 'exit') return false
  if (Object.hasOwn(effects, program)) effects[program]?.(walk, args)
  return true
}

function runSet(walk: Walk, args: readonly Argument[]): void {
  const texts = args.map((argument) => argument.texts[0] ?? '')
  let index = 0
  for (let text = texts[0] ?? ''; /^[-+]\w/.test(text); text = texts[(index += 1)] ?? '') {
    const isNamed = text.endsWith('o')
    if (isNamed) index += 1
    if (/x/.test(text) || (isNamed && texts[index] === 'xtrace')) walk.isTraced = text.startsWith('-')
  }
  if (texts[index] === '--') walk.scope.setPositional(args.slice(index + 1).map((argument) => argument.texts))
}

/** In a loop nobody knows how often: any parameter may be any other. */
function runShift(walk: Walk, [count]: readonly Argument[]): void {
  const { positional } = walk.scope
  const any = either(positional)
  if (walk.isCertain) walk.scope.shift(Number(count?.texts[0] ?? '1') || 1)
  else walk.scope.setPositional(positional.map(() => any))
}

function forget(walk: Walk, args: readonly Argument[]): void {
  for (const text of args.flatMap(({ texts }) => texts)) {
    if (/^[A-Za-z_]\w*$/.test(text)) walk.scope.set(text, [unknown], { isCertain: true })
  }
}

function runPrintf(walk: Walk, [option, name]: readonly Argument[]): void {
  if (option?.texts[0] === '-v' && name !== undefined) forget(walk, [name])
}

function declareLocal(walk: Walk, args: readonly Argument[]): void {
  declare(walk, args, walk.calls.length > 0)
}

function declareGlobal(walk: Walk, args: readonly Argument[]): void {
  declare(walk, args, false)
}

function declare(walk: Walk, args: readonly Argument[], isLocal: boolean): void {
  const values = new Map<string, Texts[]>()
  for (const { texts } of args) {
    for (const [name, value] of texts.flatMap(declared)) {
      values.set(name, [...(values.get(name) ?? []), ...(value === undefined ? [] : [[value]])])
    }
  }
  for (const [name, given] of values) {
    if (isLocal) walk.scope.declareLocal(name)
    if (given.length > 0) walk.scope.set(name, [either(given)], { isCertain: isLocal || walk.isCertain })
  }
}

function declared(text: string): readonly (readonly [string, string | undefined])[] {
  const [, name, equals, value] = /^([A-Za-z_]\w*)(\+?=)?([^]*)$/.exec(text) ?? []
  if (name === undefined) return []
  return equals === undefined ? (value === '' ? [[name, undefined]] : []) : [[name, value]]
}

function commandText(args: readonly Argument[]): Argument | undefined {
  const index = args.findIndex(({ texts }) => /^-\w*c$/.test(texts[0] ?? ''))
  return index < 0 ? undefined : args[index + 1]
}

/** Written out where it stands it has lines of its own. */
function hasLines({ source, parts }: Word): boolean {
  const isHeredoc = source === '' && parts.length > 0
  return isHeredoc || source.includes('\n')
}

/** Commands that stand in a text, as far as it is known. */
function runText(walk: Walk, argument: Argument | undefined): void {
  if (argument === undefined || walk.calls.includes(inText)) return
  const { texts, word } = argument
  for (const text of texts) {
    if (hasHole(text)) continue
    const { statements } = parseShell(text, { firstLine: word.line, isOneLine: !hasLines(word) })
    for (const [name, bodies] of definitionsIn(statements)) walk.functions.set(name, bodies)
    walk.calls.push(inText)
    apart(walk, () => perhaps(walk, () => walk.run(walk, statements)))
    walk.calls.pop()
  }
}
