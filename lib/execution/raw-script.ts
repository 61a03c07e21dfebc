// Raw mode's script as the host runs it: the preamble that raw mode promises, then the script verbatim.
import { SpecError } from '../errors/spec-error.ts'
import { rawPreamble, type Environment } from '../profile/raw-preamble.ts'

export interface RawScript {
  readonly text: string
  /** Lines before the script's own first line. */
  readonly preambleLines: number
}

/** Throws SpecError (ScriptInvalid, EnvironmentInvalid). */
export function toRawScript(environment: Environment, script: string): RawScript {
  if (script.includes('\0')) {
    throw new SpecError('Cannot run the script: it holds a NUL byte, it must be text', {
      reason: 'ScriptInvalid',
    })
  }
  const preamble = rawPreamble(environment)
  return { text: preamble + script, preambleLines: preamble.split('\n').length - 1 }
}
