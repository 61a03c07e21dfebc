// What a careful author would not write: everything that validation finds, and habits that end badly on a host.
import { normalizeScript } from './normalize-script.ts'
import type { Problem } from './problem.ts'
import type { Profile } from './profile.ts'
import { scriptPhases, type ScriptPhase } from './script-phase.ts'
import { validateProfile } from './validate-profile.ts'

export function lintProfile(profile: Profile): readonly Problem[] {
  const habits = scriptPhases.flatMap((phase) => {
    const script = profile.spec.scripts[phase]
    return script ? lintScript(phase, normalizeScript(script).text) : []
  })
  return [...validateProfile(profile), ...habits].sort(
    (a, b) => scriptPhases.indexOf(a.phase) - scriptPhases.indexOf(b.phase) || a.line - b.line,
  )
}

function lintScript(phase: ScriptPhase, text: string): readonly Problem[] {
  const lines = text.split('\n').map((line) => (/^\s*#/.test(line) ? '' : line))
  return [...failFastProblems(phase, lines), ...traceProblems(phase, lines)]
}

/** Without a template a script can be signed, and a signed script runs as it is, without raw mode's preamble. */
function failFastProblems(phase: ScriptPhase, lines: readonly string[]): readonly Problem[] {
  const options = lines.filter((line) => /^\s*set\s+-/.test(line)).join(' ')
  const isFailFast =
    /-\w*e|errexit/.test(options) && /-\w*u|nounset/.test(options) && /pipefail/.test(options)
  if (isFailFast || lines.some((line) => line.includes('{{'))) return []
  return [
    {
      severity: 'warning',
      phase,
      line: 1,
      reason: 'NoFailFast',
      message:
        'verified mode adds no "set -euo pipefail" and a failing command would go unnoticed, start the script with it',
    },
  ]
}

const traceOn = /^\s*set\s+(?:-\w*x|-o\s+xtrace)\b/
const traceOff = /^\s*set\s+(?:\+\w*x|\+o\s+xtrace)\b/
const secretUse = /\$\{?(KPSSH_(?:BOOTSTRAP_TOKEN|SECRET_\w+))/

/** Tracing prints commands after expansion. */
function traceProblems(phase: ScriptPhase, lines: readonly string[]): readonly Problem[] {
  let isTracing = false
  const problems: Problem[] = []
  for (const [index, line] of lines.entries()) {
    if (traceOn.test(line)) isTracing = true
    if (traceOff.test(line)) isTracing = false
    const name = isTracing ? secretUse.exec(line)?.[1] : undefined
    if (name === undefined) continue
    const message = `$${name} is expanded while tracing is on and would be printed, switch it on only afterwards`
    problems.push({ severity: 'warning', phase, line: index + 1, reason: 'TracesSecret', message })
  }
  return problems
}
