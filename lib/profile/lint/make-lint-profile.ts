// Scripts as rules look at them: read, and walked through, only as far as some rule asks.
import type { Parameter } from '../profile.ts'
import { normalizeScript } from '../normalize-script.ts'
import { scriptPhases, type ScriptPhase } from '../script-phase.ts'
import type { LintProfile, LintScript } from './rule.ts'
import { parseShell } from './shell/parse-shell.ts'
import type { Program } from './shell/syntax.ts'
import { walkScript } from './walk/walk-script.ts'

export interface LintSubject {
  readonly agentUnits: readonly string[]
  readonly parameters: readonly Parameter[] | undefined
  readonly scripts: Readonly<Partial<Record<ScriptPhase, string | undefined>>>
}

export function makeLintProfile({ agentUnits, parameters, scripts }: LintSubject): LintProfile {
  const present = scriptPhases.flatMap((phase) => {
    const source = scripts[phase]
    return source ? [[phase, makeLintScript(phase, source)] as const] : []
  })
  return { agentUnits, parameters, scripts: Object.fromEntries(present) }
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
