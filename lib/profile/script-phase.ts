import { SpecError } from '../errors/spec-error.ts'

/** The phases that a profile has a script for. */
export const scriptPhases = ['install', 'join', 'leave', 'uninstall'] as const
export type ScriptPhase = (typeof scriptPhases)[number]

/** Throws SpecError (PhaseUnknown). */
export function parseScriptPhase(text: string): ScriptPhase {
  const phase = scriptPhases.find((known) => known === text)
  if (phase === undefined) {
    throw new SpecError(`Cannot use phase "${text}": it is unknown, use one of ${scriptPhases.join(', ')}`, {
      reason: 'PhaseUnknown',
    })
  }
  return phase
}

/** The phases that run with no node class at hand, and so see the host's addresses and nothing else. */
export function seesAddressesOnly(phase: ScriptPhase): boolean {
  return phase === 'leave' || phase === 'uninstall'
}
