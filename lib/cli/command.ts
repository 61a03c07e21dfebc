// What a command is: its words, what it takes, what it does. Help texts and docs/cli.md are made from the first two.
import type { Console } from './console.ts'

export interface OptionSpec {
  /** Without dashes. */
  readonly name: string
  /** How its value is written in help; absent for a switch. */
  readonly value?: string
  readonly meaning: string
  readonly isRequired?: boolean
}

export interface PositionalSpec {
  /** In capitals, as help shows it. */
  readonly name: string
  readonly meaning: string
  /** Takes every word that is left, at least one. */
  readonly isMany?: boolean
}

export interface CommandSpec {
  readonly noun: string
  readonly verb: string
  /** One line. */
  readonly summary: string
  readonly positionals: readonly PositionalSpec[]
  readonly options: readonly OptionSpec[]
  /** Paragraphs: what it changes, how it ends. */
  readonly notes: readonly string[]
}

/** The words of a command line, checked against a CommandSpec. */
export interface Arguments {
  readonly positionals: readonly string[]
  /** Values by option name. */
  readonly values: Readonly<Partial<Record<string, string>>>
  readonly switches: ReadonlySet<string>
}

export interface Command extends CommandSpec {
  /** Resolves to the exit code. Throws UsageError and the errors of lib/errors. */
  run(args: Arguments, console: Console): Promise<number>
}

/** The command line is not one that the command understands. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** By sysexits.h. */
export const usageExitCode = 64
