// Help at every level, made from what the commands say of themselves. Lines fit into 80 columns.
import type { CommandSpec, OptionSpec, PositionalSpec } from './command.ts'

const width = 80
const footer =
  'kpssh NOUN VERB --help explains a command, kpssh --version says which kpssh this is. Exit codes: 0 done, 1 a bug, 64 not understood, 65 wrong input, 69 no machine to try it on, 70 a script failed, 75 try again, 77 not the host that was expected, 78 not set up, 130 stopped watching.'

export function topHelp(commands: readonly CommandSpec[]): string {
  return [
    'kpssh: hosts that are reached over SSH become Kubernetes nodes while pods need them',
    '',
    'Usage: kpssh NOUN VERB [ARGUMENTS] [OPTIONS]',
    '',
    ...commandList(commands),
    '',
    ...wrap(footer, 0, 0),
    '',
  ].join('\n')
}

export function nounHelp(commands: readonly CommandSpec[]): string {
  const noun = commands[0]?.noun ?? ''
  return [`Usage: kpssh ${noun} VERB [ARGUMENTS] [OPTIONS]`, '', ...commandList(commands), ''].join('\n')
}

export function commandHelp(command: CommandSpec): string {
  const { positionals, options } = command
  return [
    command.summary,
    '',
    ...wrap(`Usage: ${usageWords(command).map(glued).join(' ')}`, 0, 7).map(unglued),
    '',
    ...positionals.flatMap(({ name, meaning }) => entry(name, meaning)),
    ...(positionals.length > 0 ? [''] : []),
    ...options.flatMap((option) => entry(optionText(option), option.meaning)),
    ...entry('--help', 'This text.'),
    ...command.notes.flatMap((note) => ['', ...wrap(note, 0, 0)]),
    '',
  ].join('\n')
}

export function usage(command: CommandSpec): string {
  return usageWords(command).join(' ')
}

function usageWords({ noun, verb, positionals, options }: CommandSpec): readonly string[] {
  return [
    `kpssh ${noun} ${verb}`,
    ...positionals.map(positionalText),
    ...options.map((option) => (option.isRequired === true ? optionText(option) : `[${optionText(option)}]`)),
  ]
}

/** An option and its value stay on one line. */
function glued(words: string): string {
  return words.replaceAll(' ', '\u00a0')
}

function unglued(line: string): string {
  return line.replaceAll('\u00a0', ' ')
}

function positionalText({ name, isMany }: PositionalSpec): string {
  return isMany === true ? `${name}...` : name
}

function optionText({ name, value }: OptionSpec): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

function commandList(commands: readonly CommandSpec[]): readonly string[] {
  return commands.flatMap(({ noun, verb, summary }) => entry(`${noun} ${verb}`, summary))
}

/** A term and, beside it or below it, what it means. */
function entry(term: string, meaning: string): readonly string[] {
  const column = 22
  const lines = wrap(meaning, column, column)
  const isShort = term.length + 4 <= column
  return isShort
    ? [`  ${term.padEnd(column - 2)}${(lines[0] ?? '').trimStart()}`, ...lines.slice(1)]
    : [`  ${term}`, ...lines]
}

function wrap(text: string, firstIndent: number, indent: number): readonly string[] {
  const lines: string[] = []
  let line = ' '.repeat(firstIndent)
  let isEmpty = true
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ' '.repeat(indent)
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line]
}
