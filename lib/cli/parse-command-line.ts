// Words to a command and its arguments. Options may stand anywhere after the verb; "--" ends them.
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { UsageError, type Arguments, type CommandSpec } from './command.ts'
import { commandHelp, nounHelp, topHelp } from './help.ts'

export type Parsed<C extends CommandSpec> =
  | { readonly kind: 'run'; readonly command: C; readonly args: Arguments }
  | { readonly kind: 'help'; readonly text: string }

/** Throws UsageError. */
export function parseCommandLine<C extends CommandSpec>(
  commands: readonly C[],
  words: readonly string[],
): Parsed<C> {
  const [noun, verb, ...rest] = words
  if (noun === undefined || isHelp(noun)) return { kind: 'help', text: topHelp(commands) }
  const ofNoun = commands.filter((command) => command.noun === noun)
  if (ofNoun.length === 0) throw unknown(`"${noun}"`, unique(commands.map((command) => command.noun)), '')
  if (verb === undefined || isHelp(verb)) return { kind: 'help', text: nounHelp(ofNoun) }
  const command = ofNoun.find((candidate) => candidate.verb === verb)
  if (command === undefined)
    throw unknown(
      `"${noun} ${verb}"`,
      ofNoun.map((candidate) => candidate.verb),
      noun,
    )
  const end = rest.indexOf('--')
  if (rest.slice(0, end < 0 ? undefined : end).some(isHelpOption))
    return { kind: 'help', text: commandHelp(command) }
  return { kind: 'run', command, args: parseArguments(command, rest) }
}

function isHelp(word: string): boolean {
  return word === 'help' || isHelpOption(word)
}

function isHelpOption(word: string): boolean {
  return word === '--help' || word === '-h'
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)]
}

function unknown(what: string, known: readonly string[], noun: string): UsageError {
  const help = `kpssh ${noun === '' ? '' : `${noun} `}--help`
  return new UsageError(
    `Cannot run ${what}: it is unknown, use one of ${known.join(', ')} (${help} lists them)`,
  )
}

export function parseArguments(command: CommandSpec, words: readonly string[]): Arguments {
  const parsed = tryParse(command, words)
  const values: Record<string, string> = {}
  const switches = new Set<string>()
  for (const [name, value] of Object.entries(parsed.values)) {
    if (typeof value === 'string') values[name] = value
    else if (value === true) switches.add(name)
  }
  const args: Arguments = { positionals: parsed.positionals, values, switches }
  requireAll(command, args)
  return args
}

function tryParse(command: CommandSpec, words: readonly string[]) {
  const options: ParseArgsConfig['options'] = Object.fromEntries(
    command.options.map(({ name, value }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' } as const,
    ]),
  )
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw invalid(command, explain(error))
  }
}

/** parseArgs names the option in quotes and adds advice about its own syntax that does not help here. */
function explain(error: unknown): string {
  const text = error instanceof Error ? error.message : ''
  const option = /'(-[^'\s]*)/.exec(text)?.[1] ?? 'an option'
  if (text.startsWith('Unknown option')) return `it has no option ${option}`
  if (text.includes('does not take an argument')) return `${option} takes no value`
  return `${option} needs a value`
}

function requireAll(command: CommandSpec, { positionals, values, switches }: Arguments): void {
  const missing = command.positionals[positionals.length]
  if (missing !== undefined) throw invalid(command, `${missing.name} is missing`)
  const isOpenEnded = command.positionals.at(-1)?.isMany === true
  const extra = positionals[command.positionals.length]
  if (extra !== undefined && !isOpenEnded) throw invalid(command, `"${extra}" is one word too many`)
  for (const { name, value, isRequired } of command.options) {
    const isGiven = values[name] !== undefined || switches.has(name)
    if (isRequired === true && !isGiven)
      throw invalid(command, `--${name}${value === undefined ? '' : ` ${value}`} is missing`)
  }
}

function invalid({ noun, verb }: CommandSpec, why: string): UsageError {
  return new UsageError(`Cannot run "${noun} ${verb}": ${why}, see kpssh ${noun} ${verb} --help`)
}
