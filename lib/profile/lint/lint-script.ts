// A script by all rules, less what it is allowed.
import type { Problem } from '../problem.ts'
import type { ScriptPhase } from '../script-phase.ts'
import { allowancesOf, allowUnknown, allowUnused, allowWithoutReason, type Allowance } from './allowances.ts'
import { problemOf, problemsOf } from './problems-of.ts'
import type { LintProfile, LintScript } from './rule.ts'
import { rules } from './rules.ts'
import { scriptTooLarge } from './rules/script-too-large.ts'

/** In order of lines. */
export function lintScript(script: LintScript, profile: LintProfile): readonly Problem[] {
  const applied = scriptTooLarge.check(script, profile).length > 0 ? [scriptTooLarge] : rules
  const found = applied.flatMap((rule) => problemsOf(rule, script, profile))
  if (applied !== rules) return found
  const allowances = allowancesOf(script)
  const isAllowed = (problem: Problem) => allowances.some((allowance) => covers(allowance, problem))
  return [
    ...found.filter((problem) => !isAllowed(problem)),
    ...allowances.flatMap((allowance) => allowanceProblems(script.phase, allowance, found)),
  ].sort((a, b) => a.line - b.line)
}

function covers({ rule, reason, from, to }: Allowance, { reason: name, line }: Problem): boolean {
  return rule === name && reason !== '' && from <= line && line <= to
}

function allowanceProblems(
  phase: ScriptPhase,
  allowance: Allowance,
  found: readonly Problem[],
): readonly Problem[] {
  const { rule, reason, line } = allowance
  if (!rules.some(({ name }) => name === rule)) {
    const message = rule === '' ? 'this comment is not understood' : `there is no rule ${rule}`
    return [problemOf(allowUnknown, phase, { line, message })]
  }
  if (reason === '')
    return [problemOf(allowWithoutReason, phase, { line, message: `${rule} is allowed without a reason` })]
  if (found.some((problem) => covers(allowance, problem))) return []
  return [problemOf(allowUnused, phase, { line, message: `${rule} finds nothing to allow here` })]
}
