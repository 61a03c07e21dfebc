// Raw mode's script as the host runs it: fail fast, the environment in bytewise order of names, the script verbatim.
import { SpecError } from '../errors/spec-error.ts'

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** One word of a shell, whatever the value holds. */
export function quoteForShell(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`
}

export interface RawScript {
  readonly text: string
  /** Lines before the script's own first line. */
  readonly preambleLines: number
}

export function toRawScript(environment: Readonly<Record<string, string>>, script: string): RawScript {
  if (script.includes('\0')) {
    throw new SpecError('Cannot run the script: it holds a NUL byte, it must be text', {
      reason: 'ScriptInvalid',
    })
  }
  const exports = Object.entries(environment)
    .map(([name, value]) => toExport(name, value))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const preamble = `set -euo pipefail\n${exports.map(({ line }) => line).join('')}`
  return { text: preamble + script, preambleLines: preamble.split('\n').length - 1 }
}

function toExport(name: string, value: string): { readonly name: string; readonly line: string } {
  if (!variableName.test(name)) {
    throw new SpecError(
      `Cannot export "${name}": invalid environment variable name, it must match ${variableName.source}`,
      { reason: 'EnvironmentInvalid', details: { name } },
    )
  }
  if (value.includes('\0')) {
    throw new SpecError(
      `Cannot export "${name}": its value holds a NUL byte, which no environment can carry`,
      {
        reason: 'EnvironmentInvalid',
        details: { name },
      },
    )
  }
  return { name, line: `export ${name}=${quoteForShell(value)}\n` }
}
