// What a rule is: one habit that ends badly on a host, why, and what to write instead.
import type { Parameter } from '../profile.ts'
import type { Problem } from '../problem.ts'
import type { ScriptPhase } from '../script-phase.ts'
import type { Program } from './shell/syntax.ts'
import type { Invocation } from './walk/invocation.ts'

export interface Rule {
  /** UpperCamelCase, stable: authors write it into their scripts. */
  readonly name: string
  /** In uninstall, which only a person runs, an error is a warning. */
  readonly severity: Problem['severity']
  /** A cluster does not even store it: an error in uninstall as well. */
  readonly isRefused?: true
  readonly explanation: string
  readonly fix: string
  check(script: LintScript, profile: LintProfile): readonly Match[]
}

export interface Match {
  /** From 1; the first command's where something is missing; 0 where it is about no line. */
  readonly line: number
  /** What is the case. */
  readonly message: string
}

export interface LintScript {
  readonly phase: ScriptPhase
  /** As its author wrote it. */
  readonly source: string
  /** With line feeds alone, without a byte order mark. */
  readonly text: string
  readonly program: Program
  /** The commands as they would be carried out. */
  readonly invocations: readonly Invocation[]
  /** Line of the first command; 1 where there is none. */
  readonly firstLine: number
}

export interface LintProfile {
  readonly agentUnits: readonly string[]
  /** undefined where the profile declares none. */
  readonly parameters: readonly Parameter[] | undefined
  readonly scripts: Readonly<Partial<Record<ScriptPhase, LintScript>>>
}
