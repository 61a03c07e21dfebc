// The states that proofs start from, each made once and kept: fresh, installed, joined, left, away, uninstalled.
import { SpecError } from '../errors/spec-error.ts'
import type { ScriptPhase } from '../profile/script-phase.ts'
import type { MachineState, SavedMachine, SteppedMachine, SteppedMachines } from './ports.ts'
import type { ProofFinding } from './proof-report.ts'
import { failureOf, type ProofSubject } from './proof-scope.ts'

/** away: left, and rebooted where uninstall needs that. */
export type StageName = 'fresh' | 'installed' | 'joined' | 'left' | 'away' | 'uninstalled'

export interface Stage {
  readonly saved: SavedMachine
  readonly state: MachineState
}

export type Reached =
  | { readonly kind: 'reached'; readonly stage: Stage }
  /** The phase that should have led there ended badly: nothing that starts there can be proven. */
  | { readonly kind: 'failed'; readonly findings: readonly ProofFinding[] }

export interface Stages {
  reach(name: StageName): Promise<Reached>
}

export const stageBefore: Readonly<Record<ScriptPhase, StageName>> = {
  install: 'fresh',
  join: 'installed',
  leave: 'joined',
  uninstall: 'away',
}

export const stageAfter: Readonly<Record<ScriptPhase, StageName>> = {
  install: 'installed',
  join: 'joined',
  leave: 'left',
  uninstall: 'uninstalled',
}

const leadsTo: Readonly<Record<Exclude<StageName, 'fresh' | 'away'>, ScriptPhase>> = {
  installed: 'install',
  joined: 'join',
  left: 'leave',
  uninstalled: 'uninstall',
}

export function makeStages(machines: SteppedMachines, subject: ProofSubject): Stages {
  const known = new Map<StageName, Promise<Reached>>()
  function reach(name: StageName): Promise<Reached> {
    const reaching = known.get(name) ?? begin(name)
    known.set(name, reaching)
    return reaching
  }

  function begin(name: StageName): Promise<Reached> {
    if (name === 'fresh') return makeFresh()
    return name === 'away' ? makeAway() : make(leadsTo[name])
  }

  function makeFresh(): Promise<Reached> {
    return withMachine(machines, undefined, async (machine) => {
      const { settings } = subject
      if (settings.machine !== '') await prepare(machine, settings.machine)
      for (const [command, fragment] of Object.entries(settings.steer)) await machine.steer(command, fragment)
      return { kind: 'reached', stage: await keep(machine) }
    })
  }

  async function makeAway(): Promise<Reached> {
    const left = await reach('left')
    if (left.kind === 'failed' || !subject.settings.rebootBeforeUninstall) return left
    return withMachine(machines, left.stage.saved, async (machine) => {
      await machine.reboot()
      return { kind: 'reached', stage: await keep(machine) }
    })
  }

  async function make(phase: ScriptPhase): Promise<Reached> {
    const before = await reach(stageBefore[phase])
    const run = subject.runs[phase]
    if (before.kind === 'failed') return before
    if (run === undefined) return { kind: 'failed', findings: [] }
    return withMachine(machines, before.stage.saved, async (machine) => {
      const findings = failureOf('PhaseFails', phase, await machine.run(run))
      return findings.length > 0
        ? { kind: 'failed', findings }
        : { kind: 'reached', stage: await keep(machine) }
    })
  }

  return { reach }
}

async function keep(machine: SteppedMachine): Promise<Stage> {
  return { state: await machine.state(), saved: await machine.save() }
}

async function prepare(machine: SteppedMachine, script: string): Promise<void> {
  await machine.prepare(script).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : 'it failed'
    throw new SpecError(`Cannot use "machine" of proof.yaml: ${why}`, {
      reason: 'ProofInvalid',
      cause: error,
    })
  })
}

/** Closes the machine whatever happens. */
export async function withMachine<T>(
  machines: SteppedMachines,
  from: SavedMachine | undefined,
  work: (machine: SteppedMachine) => Promise<T>,
): Promise<T> {
  const machine = await machines.make(from)
  try {
    return await work(machine)
  } finally {
    await machine.close()
  }
}
