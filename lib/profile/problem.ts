import type { ScriptPhase } from './script-phase.ts'

/** Something about a profile that its author should change. */
export interface Problem {
  /** With an error the profile is not used, or not to be used; a warning is only reported. */
  readonly severity: 'error' | 'warning'
  readonly phase: ScriptPhase
  /** From 1; 0 where it is not about a line. */
  readonly line: number
  /** UpperCamelCase, stable: the name of the rule, where one found it. */
  readonly reason: string
  /** What is the case and what must be; without phase and line, which stand beside it. */
  readonly message: string
  /** Of a rule: why it matters, and what to write instead. */
  readonly advice?: { readonly explanation: string; readonly fix: string }
}

export function isError({ severity }: Problem): boolean {
  return severity === 'error'
}
