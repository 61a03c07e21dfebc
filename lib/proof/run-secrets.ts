// Proof 5: no secret is seen, by nobody but root, at no moment.
import type { ScriptPhase } from '../profile/script-phase.ts'
import {
  readableSecrets,
  secretsInOutput,
  secretsInPrograms,
  stayingSecrets,
  type Secret,
} from './find-secrets.ts'
import { stepText } from './kill-points.ts'
import type { MachineState, PhaseToRun, SteppedMachine } from './ports.ts'
import type { ProofFinding } from './proof-report.ts'
import { failureOf, type ProofScope } from './proof-scope.ts'
import { onStage } from './run-reboots.ts'
import { stageAfter, stageBefore } from './stages.ts'

const phasesWithSecrets = ['install', 'join'] as const

export async function runSecrets(scope: ProofScope): Promise<void> {
  for (const phase of [...phasesWithSecrets, 'leave'] as const) await watchPrograms(scope, phase)
  for (const phase of phasesWithSecrets) await watchFiles(scope, phase)
}

async function watchPrograms(scope: ProofScope, phase: ScriptPhase): Promise<void> {
  const { runs, secrets } = scope.subject
  const run = runs[phase]
  if (run === undefined) return
  const title = `${phase}: output, arguments and environment of programs`
  await onStage(scope, { stage: stageBefore[phase], title }, async (machine, noted) => {
    const end = await machine.runRecorded(run)
    noted.find(
      ...failureOf('PhaseFails', `${phase}, recorded,`, end),
      ...secretsInOutput(phase, end.output, secrets),
      ...secretsInPrograms(phase, end.programs, secrets),
    )
    noted.note(`${end.programs.length} programs were started`)
    if (phase !== 'leave' || end.ruin !== undefined) return
    noted.find(...stayingSecrets('after leave', (await machine.state()).files, secrets))
  })
}

async function watchFiles(scope: ProofScope, phase: ScriptPhase): Promise<void> {
  const { runs, secrets } = scope.subject
  const run = runs[phase]
  if (run === undefined) return
  await onStage(
    scope,
    { stage: stageBefore[phase], title: `${phase}: files, at every step` },
    async (machine, noted) => {
      const reached = await scope.stages.reach(stageAfter[phase])
      // A phase that never ends would not do so step by step either.
      if (reached.kind === 'failed') {
        noted.find(...reached.findings)
        return
      }
      const { findings, looks } = await lookAtEveryStep(machine, run, secrets)
      noted.find(...findings)
      noted.note(`looked ${looks} times, whenever the machine had changed`)
    },
  )
}

async function lookAtEveryStep(
  machine: SteppedMachine,
  run: PhaseToRun,
  secrets: readonly Secret[],
): Promise<{ readonly findings: readonly ProofFinding[]; readonly looks: number }> {
  /** The first moment at which a file was seen is the one to tell. */
  const byPath = new Map<string, ProofFinding>()
  let looks = 0
  let last = ''
  async function look(when: string): Promise<void> {
    const fingerprint = await machine.fingerprint()
    if (fingerprint === last) return
    last = fingerprint
    looks += 1
    for (const [path, file] of machine.files()) {
      if (byPath.has(path)) continue
      const alone: MachineState['files'] = new Map([[path, file]])
      for (const finding of readableSecrets(when, alone, secrets)) byPath.set(path, finding)
    }
  }
  const { ruin } = await machine.runStepped(run, async (step) => {
    await look(`at ${stepText(step)}`)
    return 'go on'
  })
  if (ruin === undefined) await look('at the end')
  return { findings: [...byPath.values()], looks }
}
