// The envelope that every shim reads: a script, a signature of it, and what the script is told. Byte for byte the one of hosts
// that were prepared before there was another.
import { SpecError } from '../errors/spec-error.ts'
import type { Environment } from '../profile/raw-preamble.ts'
import { parameterLines } from './envelope-parameters.ts'

export interface SignedPhase {
  readonly phase: string
  readonly script: string
  /** Armored, of the script's bytes. */
  readonly signature: string
  readonly parameters: Environment
}

const phases = ['install', 'join', 'leave', 'uninstall']

export function probeEnvelopeV1(): Uint8Array {
  return Buffer.from('kpssh-envelope: 1\nphase: probe\n')
}

/** Throws SpecError (EnvelopeIncomplete, ParameterInvalid). */
export function runEnvelopeV1({ phase, script, signature, parameters }: SignedPhase): Uint8Array {
  if (!phases.includes(phase)) throw incomplete(phase, `the phase must be one of ${phases.join(', ')}`)
  if (script === '') throw incomplete(phase, 'it has no script')
  if (signature === '') throw incomplete(phase, 'it has no signature')
  const params = parameterLines(parameters)
  return Buffer.from(
    [
      'kpssh-envelope: 1\n',
      `phase: ${phase}\n`,
      params === '' ? '' : `params-b64: ${base64(params)}\n`,
      `sig-b64: ${base64(signature)}\n`,
      `script-b64: ${base64(script)}\n`,
    ].join(''),
  )
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function incomplete(phase: string, why: string): SpecError {
  return new SpecError(`Cannot send phase "${phase}" to a shim: ${why}`, {
    reason: 'EnvelopeIncomplete',
    details: { phase },
  })
}
