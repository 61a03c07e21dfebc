// What a signed script is told, as both versions of the envelope carry it: NAME=value lines in bytewise order of names.
import { SpecError } from '../errors/spec-error.ts'
import type { Environment } from '../profile/raw-preamble.ts'

/** Hosts export nothing else, whoever asks: a name like BASH_ENV or PATH would steer the shell that runs the script. */
export const parameterName = /^KPSSH_[A-Za-z0-9_]+$/

/** Throws SpecError (ParameterInvalid), which never repeats a value. */
export function parameterLines(parameters: Environment): string {
  const names = Object.keys(parameters).sort()
  return names.map((name) => `${name}=${checkedValue(name, parameters[name] ?? '')}\n`).join('')
}

function checkedValue(name: string, value: string): string {
  if (!parameterName.test(name)) throw invalid(name, `its name must match ${parameterName.source}`)
  if (value.includes('\n')) {
    throw invalid(
      name,
      'its value holds a line break, it must be one line (a Secret made from a file ends with one)',
    )
  }
  if (value.includes('\0')) throw invalid(name, 'its value holds a NUL byte, which no environment can carry')
  return value
}

function invalid(name: string, why: string): SpecError {
  return new SpecError(`Cannot send parameter "${name}" to a shim: ${why}`, {
    reason: 'ParameterInvalid',
    details: { name },
  })
}
