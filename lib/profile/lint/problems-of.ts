// From what a rule finds to what an author is told.
import type { Problem } from '../problem.ts'
import type { ScriptPhase } from '../script-phase.ts'
import type { AllowanceRule } from './allowances.ts'
import type { LintProfile, LintScript, Match, Rule } from './rule.ts'

/** A function that is called in several places has its lines once. */
export function problemsOf(rule: Rule, script: LintScript, profile: LintProfile): readonly Problem[] {
  const matches = new Map(
    rule.check(script, profile).map((match) => [`${match.line} ${match.message}`, match] as const),
  )
  const isMild = script.phase === 'uninstall' && rule.isRefused !== true
  return [...matches.values()].map((match) => ({
    ...problemOf(rule, script.phase, match),
    ...(isMild ? { severity: 'warning' as const } : {}),
  }))
}

export function problemOf(rule: AllowanceRule, phase: ScriptPhase, { line, message }: Match): Problem {
  const { name, severity, explanation, fix } = rule
  return { severity, phase, line, reason: name, message, advice: { explanation, fix } }
}
