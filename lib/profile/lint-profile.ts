// What a careful author would not write: everything that validation finds, and habits that end badly on a host.
import { lintScript } from './lint/lint-script.ts'
import { makeLintProfile } from './lint/make-lint-profile.ts'
import type { Problem } from './problem.ts'
import { agentUnits, type Profile } from './profile.ts'
import { scriptPhases } from './script-phase.ts'
import { structuralProblems } from './validate-profile.ts'

/** In order of phases and lines. */
export function lintProfile(profile: Profile): readonly Problem[] {
  const { scripts, parameters } = profile.spec
  const subject = makeLintProfile({ agentUnits: agentUnits(profile), parameters, scripts })
  return scriptPhases.flatMap((phase) => {
    const script = subject.scripts[phase]
    const habits = script === undefined ? [] : lintScript(script, subject)
    return [...structuralProblems(profile, phase), ...habits].sort((a, b) => a.line - b.line)
  })
}
