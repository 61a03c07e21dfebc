// Whether a profile can be used at all, and what its author should know. Node classes that refer to a profile with errors
// are not Ready, so that no host is claimed for a join that cannot be undone.
import { SpecError } from '../errors/spec-error.ts'
import { makeLeaveContext, toTemplateData } from './join-context.ts'
import { foreignReferences } from './leave-references.ts'
import { normalizeScript, type ScriptFlaw } from './normalize-script.ts'
import { isError, type Problem } from './problem.ts'
import { timeoutMs, type Profile } from './profile.ts'
import { scriptPhases, type ScriptPhase } from './script-phase.ts'
import type { SyntaxTree } from './template/nodes.ts'
import { parseTemplate, renderTemplate } from './template/template.ts'

const largestScriptBytes = 262_144

/** In order of phases and lines. */
export function validateProfile(profile: Profile): readonly Problem[] {
  return scriptPhases.flatMap((phase) => [
    ...scriptProblems(profile, phase),
    ...timeoutProblems(profile, phase),
  ])
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

function scriptProblems(profile: Profile, phase: ScriptPhase): readonly Problem[] {
  const script = profile.spec.scripts[phase]
  if (!script) return phase === 'uninstall' ? [] : [missing(phase)]
  const bytes = Buffer.byteLength(script)
  if (bytes > largestScriptBytes) return [tooLarge(phase, bytes)]
  const { text, flaws } = normalizeScript(script)
  return [
    ...flaws.map(({ kind, line }) => flawProblem(phase, kind, line)),
    ...templateProblems(phase, text),
    ...(phase === 'leave' ? environmentProblems(phase, text) : []),
  ]
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

function tooLarge(phase: ScriptPhase, bytes: number): Problem {
  return {
    severity: 'error',
    phase,
    line: 0,
    reason: 'ScriptTooLarge',
    message: `the script has ${bytes} bytes, at most ${largestScriptBytes} are allowed`,
  }
}

const flawTexts: Readonly<Record<ScriptFlaw, readonly [string, string]>> = {
  'byte-order-mark': ['ScriptHasBOM', 'the script starts with a byte order mark'],
  'carriage-return': ['ScriptHasCR', 'the script has carriage returns'],
}

function flawProblem(phase: ScriptPhase, kind: ScriptFlaw, line: number): Problem {
  const [reason, text] = flawTexts[kind]
  const message = `${text}, save it with LF line ends and as plain UTF-8: raw mode removes it, verified mode refuses it`
  return { severity: 'warning', phase, line, reason, message }
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

function leaveProblems(phase: ScriptPhase, tree: SyntaxTree): readonly Problem[] {
  const references = foreignReferences(tree).map(({ line, text }): Problem => ({
    severity: 'error',
    phase,
    line,
    reason: 'LeaveNeedsContext',
    message: `${text} is not there when a host leaves, only .HostAddress and .NodeAddress are`,
  }))
  if (references.length > 0) return references
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

/** In leave these variables do not exist: with `set -u` the script would end at the first of them. */
function environmentProblems(phase: ScriptPhase, text: string): readonly Problem[] {
  return text.split('\n').flatMap((content, index) => {
    const name = /^\s*#/.test(content) ? undefined : /\$\{?[!#]?(KPSSH_(?:VAR|SECRET)_\w*)/.exec(content)?.[1]
    if (name === undefined) return []
    const message = `$${name} does not exist when a host leaves, find it out on the host or write it there in join`
    return [{ severity: 'warning', phase, line: index + 1, reason: 'LeaveUsesEnvironment', message } as const]
  })
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
