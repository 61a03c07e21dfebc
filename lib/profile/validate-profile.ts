// Whether a profile can be used at all, and what its author should know. Node classes that refer to a profile with errors
// are not Ready, so that no host is claimed for a join that cannot be undone.
import { SpecError } from '../errors/spec-error.ts'
import { makeLeaveContext, toTemplateData } from './join-context.ts'
import { foreignReferences } from './leave-references.ts'
import { makeLintProfile } from './lint/make-lint-profile.ts'
import { problemsOf } from './lint/problems-of.ts'
import type { LintProfile, LintScript, Rule } from './lint/rule.ts'
import { leaveNeedsContext } from './lint/rules/leave-needs-context.ts'
import { leaveNeedsEnvironment } from './lint/rules/leave-needs-environment.ts'
import { leaveUsesEnvironment } from './lint/rules/leave-uses-environment.ts'
import { scriptHasBOM } from './lint/rules/script-has-bom.ts'
import { scriptHasCR } from './lint/rules/script-has-cr.ts'
import { largestScriptBytes, scriptTooLarge } from './lint/rules/script-too-large.ts'
import { normalizeScript } from './normalize-script.ts'
import { isError, type Problem } from './problem.ts'
import { agentUnits, timeoutMs, type Profile } from './profile.ts'
import { scriptPhases, type ScriptPhase } from './script-phase.ts'
import type { SyntaxTree } from './template/nodes.ts'
import { parseTemplate, renderTemplate } from './template/template.ts'

/** What rules find that a cluster must know: without it no host could leave. */
const readinessRules: readonly Rule[] = [scriptTooLarge, scriptHasBOM, scriptHasCR, leaveNeedsContext]
/** Reported alone: what needs a variable may stand in a branch that is not taken. */
const reportedRules: readonly Rule[] = [leaveNeedsEnvironment, leaveUsesEnvironment]

/** In order of phases and lines. */
export function validateProfile(profile: Profile): readonly Problem[] {
  const { scripts, parameters } = profile.spec
  const subject = makeLintProfile({ agentUnits: agentUnits(profile), parameters, scripts })
  return scriptPhases.flatMap((phase) => {
    const script = subject.scripts[phase]
    const found = script === undefined ? [] : readinessProblems(script, subject)
    return [...structuralProblems(profile, phase), ...found].sort((a, b) => a.line - b.line)
  })
}

function readinessProblems(script: LintScript, subject: LintProfile): readonly Problem[] {
  const found = readinessRules.flatMap((rule) => problemsOf(rule, script, subject))
  if (found.some(({ reason }) => reason === scriptTooLarge.name)) return found
  const reported = script.phase === 'leave' ? reportedRules : []
  const warnings = reported.flatMap((rule) => problemsOf(rule, script, subject))
  return [...found, ...warnings.map((problem) => ({ ...problem, severity: 'warning' as const }))]
}

/** For whoever needs a profile that works. Throws SpecError (ProfileInvalid) with every error. */
export function requireValidProfile(profile: Profile): void {
  const errors = validateProfile(profile).filter(isError)
  if (errors.length === 0) return
  const list = errors.map(
    ({ phase, line, message }) => `${phase}${line > 0 ? ` line ${line}` : ''}: ${message}`,
  )
  throw new SpecError(`Cannot use profile "${profile.metadata.name}": ${list.join('; ')}`, {
    reason: 'ProfileInvalid',
  })
}

/** What is no question of habits: a script that is not there, a template or a timeout that is none. */
export function structuralProblems(profile: Profile, phase: ScriptPhase): readonly Problem[] {
  return [...scriptProblems(profile, phase), ...timeoutProblems(profile, phase)]
}

function scriptProblems(profile: Profile, phase: ScriptPhase): readonly Problem[] {
  const script = profile.spec.scripts[phase]
  if (!script) return phase === 'uninstall' ? [] : [missing(phase)]
  const isTooLarge = Buffer.byteLength(script) > largestScriptBytes
  return isTooLarge ? [] : templateProblems(phase, normalizeScript(script).text)
}

function missing(phase: ScriptPhase): Problem {
  return {
    severity: 'error',
    phase,
    line: 0,
    reason: 'ScriptMissing',
    message: `scripts.${phase} is empty, every profile must have one`,
  }
}

function templateProblems(phase: ScriptPhase, text: string): readonly Problem[] {
  const parsed = parseTemplate(phase, text)
  if (parsed.kind === 'unparsable') {
    const { line, message } = parsed
    return [
      {
        severity: 'error',
        phase,
        line,
        reason: 'TemplateUnparsable',
        message: `the template does not parse, ${message}`,
      },
    ]
  }
  return phase === 'leave' ? leaveProblems(phase, parsed.tree) : []
}

/** References that leave must not make are for a rule to find; what is left may still not render. */
function leaveProblems(phase: ScriptPhase, tree: SyntaxTree): readonly Problem[] {
  if (foreignReferences(tree).length > 0) return []
  const rendered = renderTemplate(tree, toTemplateData(makeLeaveContext({ address: '192.0.2.1' })))
  if (rendered.kind === 'rendered') return []
  const { line, message } = rendered
  return [
    {
      severity: 'error',
      phase,
      line,
      reason: 'TemplateFailed',
      message: `the template does not render, ${message}`,
    },
  ]
}

function timeoutProblems(profile: Profile, phase: ScriptPhase): readonly Problem[] {
  try {
    timeoutMs(profile, phase)
    return []
  } catch (error) {
    if (!(error instanceof SpecError)) throw error
    const reason = error.reason === 'DurationOverflow' ? 'TimeoutOverflow' : 'TimeoutInvalid'
    return [{ severity: 'error', phase, line: 0, reason, message: error.message.replace(/^Cannot \w+ /, '') }]
  }
}
