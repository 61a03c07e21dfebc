// A script by all rules, less what it is allowed.
import type { Parameter } from '../profile.ts'
import type { Problem } from '../problem.ts'
import { normalizeScript } from '../normalize-script.ts'
import type { ScriptPhase } from '../script-phase.ts'
import {
  allowancesOf,
  allowUnknown,
  allowUnused,
  allowWithoutReason,
  type Allowance,
  type AllowanceRule,
} from './allowances.ts'
import type { LintProfile, LintScript, Match, Rule } from './rule.ts'
import { rules } from './rules.ts'
import { scriptTooLarge } from './rules/script-too-large.ts'
import { parseShell } from './shell/parse-shell.ts'
import type { Program } from './shell/syntax.ts'
import { walkScript } from './walk/walk-script.ts'

export interface LintSubject {
  readonly agentUnits: readonly string[]
  readonly parameters: readonly Parameter[] | undefined
  readonly scripts: Readonly<Partial<Record<ScriptPhase, string | undefined>>>
}

/** Reads scripts only as far as somebody asks. */
export function makeLintProfile({ agentUnits, parameters, scripts }: LintSubject): LintProfile {
  const phases = Object.entries(scripts) as readonly (readonly [ScriptPhase, string | undefined])[]
  return {
    agentUnits,
    parameters,
    scripts: Object.fromEntries(
      phases.flatMap(([phase, source]) => (source ? [[phase, makeLintScript(phase, source)]] : [])),
    ),
  }
}

export function makeLintScript(phase: ScriptPhase, source: string): LintScript {
  const { text } = normalizeScript(source)
  const program = once(() => parseShell(text))
  const invocations = once(() => walkScript(program()))
  return {
    phase,
    source,
    text,
    get program() {
      return program()
    },
    get invocations() {
      return invocations()
    },
    get firstLine() {
      return firstCommandLine(program())
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

function firstCommandLine({ statements: [statement] }: Program): number {
  return statement?.first.commands[0]?.line ?? 1
}

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

function problemOf(rule: AllowanceRule, phase: ScriptPhase, { line, message }: Match): Problem {
  const { name, severity, explanation, fix } = rule
  return { severity, phase, line, reason: name, message, advice: { explanation, fix } }
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
