// The proofs of a profile on one kind of machine.
import type { Clock, Random } from '../ambient/ports.ts'
import { renderPhase } from '../profile/render-phase.ts'
import { agentUnits, type Profile } from '../profile/profile.ts'
import { scriptPhases } from '../profile/script-phase.ts'
import { volatileBy } from './changes.ts'
import { secretsOf } from './find-secrets.ts'
import type { PhaseToRun, SteppedMachines } from './ports.ts'
import type { ProofNumber, ProofWatch } from './proof-report.ts'
import { makeRunStep, type ProofEffort, type ProofScope, type ProofSubject } from './proof-scope.ts'
import type { Family, ProofSettings } from './proof-settings.ts'
import { runCycle } from './run-cycle.ts'
import { runInterruptions } from './run-interruptions.ts'
import { runLeaveElsewhere } from './run-leave-elsewhere.ts'
import { runReboots } from './run-reboots.ts'
import { runSecrets } from './run-secrets.ts'
import { makeStages } from './stages.ts'

export interface ProofDeps {
  readonly clock: Clock
  readonly random: Random
  readonly machines: SteppedMachines
  readonly watch: ProofWatch
}

export interface ProofOrder {
  readonly subject: ProofSubject
  readonly family: Family
  readonly proofs: readonly ProofNumber[]
  readonly effort: ProofEffort
}

/** Throws SpecError where a phase does not render. `golden` is what proof.txt says. */
export function makeProofSubject(profile: Profile, settings: ProofSettings, golden?: string): ProofSubject {
  const present = scriptPhases.filter((phase) => phase !== 'uninstall' || profile.spec.scripts.uninstall)
  const runs = present.map((phase): readonly [string, PhaseToRun] => [
    phase,
    { phase, rendered: renderPhase(profile, phase, settings.context) },
  ])
  return {
    runs: Object.fromEntries(runs),
    agentUnits: agentUnits(profile).map((name) => (/\.[a-z]+$/.test(name) ? name : `${name}.service`)),
    settings,
    volatile: volatileBy(settings.volatile),
    secrets: secretsOf(settings.context),
    ...(golden !== undefined && { golden }),
  }
}

/**
 * Tells `watch` of every step. Resolves with what each phase changed, for proof.txt: undefined without the first proof, or
 * where that did not come to its end. Throws SandboxError where the machines fail, not the profile.
 */
export async function runProofs(
  { clock, random, machines, watch }: ProofDeps,
  { subject, family, proofs, effort }: ProofOrder,
): Promise<ReadonlyMap<string, string> | undefined> {
  const stages = makeStages(machines, subject)
  let sections: ReadonlyMap<string, string> | undefined
  for (const proof of proofs) {
    const step = makeRunStep({ clock, watch }, { proof, family })
    const made = await runProof(proof, { family, subject, effort, machines, stages, random, step })
    sections = made ?? sections
  }
  return sections
}

async function runProof(
  proof: ProofNumber,
  scope: ProofScope,
): Promise<ReadonlyMap<string, string> | undefined> {
  switch (proof) {
    case 1:
      return runCycle(scope)
    case 2:
      await runInterruptions(scope)
      return undefined
    case 3:
      await runReboots(scope)
      return undefined
    case 4:
      await runLeaveElsewhere(scope)
      return undefined
    case 5:
      await runSecrets(scope)
      return undefined
  }
}
