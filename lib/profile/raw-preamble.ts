// What raw mode puts before a script: fail fast, and the environment in bytewise order of names.
import { SpecError } from '../errors/spec-error.ts'
import { shellQuote } from './shell-quote.ts'

export type Environment = Readonly<Record<string, string>>

/** What Linux takes of one NAME=value with its closing NUL: with more, a script could start no command at all. */
const longestVariableBytes = 131_072

const environmentName = /^[A-Za-z_][A-Za-z0-9_]*$/

export function rawPreamble(environment: Environment): string {
  return ['set -euo pipefail', ...exportLines(environment), ''].join('\n')
}

/** `export NAME='value'` for each. Throws SpecError (EnvironmentInvalid) for what no shell can export. */
export function exportLines(environment: Environment): readonly string[] {
  return Object.entries(environment)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      requireExportable(name, value)
      return `export ${name}=${shellQuote(value)}`
    })
}

export function requireExportable(name: string, value: string): void {
  if (!environmentName.test(name)) {
    throw invalid(name, `invalid environment variable name, it must match ${environmentName.source}`)
  }
  if (value.includes('\0')) throw invalid(name, 'its value holds a NUL byte, which no environment can carry')
  const bytes = Buffer.byteLength(`${name}=${value}`) + 1
  if (bytes > longestVariableBytes) {
    throw invalid(name, `it takes ${bytes} bytes, at most ${longestVariableBytes} can be handed to a command`)
  }
  if (!value.isWellFormed()) throw invalid(name, 'its value is not valid Unicode, it must be text')
}

function invalid(name: string, why: string): SpecError {
  return new SpecError(`Cannot export "${name}": ${why}`, { reason: 'EnvironmentInvalid', details: { name } })
}
