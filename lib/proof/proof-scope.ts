// What every proof works with: the profile, the machines, and a way to tell what is done.
import type { Clock, Random } from '../ambient/ports.ts'
import type { ScriptPhase } from '../profile/script-phase.ts'
import type { Volatile } from './changes.ts'
import type { PhaseEnd, PhaseToRun, SteppedMachines } from './ports.ts'
import type { ProofFinding, ProofNumber, ProofWatch } from './proof-report.ts'
import type { Family, ProofSettings } from './proof-settings.ts'
import type { Secret } from './find-secrets.ts'
import type { Stages } from './stages.ts'

/** The profile as it is proven. */
export interface ProofSubject {
  /** uninstall is absent where the profile has none. */
  readonly runs: Readonly<Partial<Record<ScriptPhase, PhaseToRun>>>
  /** Full names: kubelet.service. */
  readonly agentUnits: readonly string[]
  readonly settings: ProofSettings
  readonly volatile: Volatile
  readonly secrets: readonly Secret[]
  /** What proof.txt says; absent where there is none, or where it is being written. */
  readonly golden?: string
}

/** How thorough and how fast. */
export interface ProofEffort {
  /** Interruptions that are tried of each phase; 'all' for every one that can differ. */
  readonly interruptions: number | 'all'
  /** Machines at a time. */
  readonly machines: number
}

export interface ProofScope {
  readonly family: Family
  readonly subject: ProofSubject
  readonly effort: ProofEffort
  readonly machines: SteppedMachines
  readonly stages: Stages
  readonly random: Random
  readonly step: RunStep
}

/** Does something and tells of it. Resolves with false where anything was found. */
export type RunStep = (title: string, work: (noted: Noted) => Promise<void>) => Promise<boolean>

export interface Noted {
  find(...findings: readonly ProofFinding[]): void
  note(line: string): void
}

/** Of one kind of fault, one example says it all. */
const mostFindings = 8

export function makeRunStep(
  deps: { readonly clock: Clock; readonly watch: ProofWatch },
  { proof, family }: { readonly proof: ProofNumber; readonly family: Family },
): RunStep {
  return async (title, work) => {
    const findings: ProofFinding[] = []
    const notes: string[] = []
    const beganAtMs = deps.clock.nowMs()
    deps.watch.began({ proof, family, title })
    await work({
      find: (...found) => void findings.push(...found),
      note: (line) => void notes.push(line),
    })
    deps.watch.ended({
      ...{ proof, family, title, notes },
      durationMs: deps.clock.nowMs() - beganAtMs,
      findings: findings.slice(0, mostFindings),
      moreFindings: Math.max(0, findings.length - mostFindings),
    })
    return findings.length === 0
  }
}

const shownOutputLines = 12

/** The last words of a phase that ended badly; nothing where it ended well. */
export function failureOf(
  reason: ProofFinding['reason'],
  what: string,
  { exitCode, output, ruin }: PhaseEnd,
): readonly ProofFinding[] {
  if (exitCode === 0 && ruin === undefined) return []
  const ended = exitCode === undefined ? 'was ended at its timeout' : `ended with exit code ${exitCode}`
  const lines = output.trimEnd().split('\n').filter(Boolean).slice(-shownOutputLines)
  return [{ reason, message: `${what} ${ruin ?? ended}`, lines }]
}
