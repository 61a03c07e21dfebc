import type { ScriptPhase } from './script-phase.ts'

/** Something about a profile that its author should change. */
export interface Problem {
  /** With an error the profile is not used; a warning is only reported. */
  readonly severity: 'error' | 'warning'
  readonly phase: ScriptPhase
  /** From 1; 0 where it is not about a line. */
  readonly line: number
  /** UpperCamelCase, stable. */
  readonly reason: string
  /** What is the case and what must be; without phase and line, which stand beside it. */
  readonly message: string
}

export function isError({ severity }: Problem): boolean {
  return severity === 'error'
}
