// What proofs ask of the machine on which the phases of a profile are run for real. A sandbox is one; so is a container that
// systemd has booted.
import type { RenderedPhase } from '../profile/render-phase.ts'
import type { ScriptPhase } from '../profile/script-phase.ts'

export interface FileState {
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  /** Permission bits. */
  readonly mode: number
  /** `user:group` by name, or by number where there is no name. */
  readonly owner: string
  /** What a file holds, one character per byte; where a link points; empty otherwise. */
  readonly content: string
}

export type UnitEnablement = 'enabled' | 'disabled' | 'static' | 'masked' | 'not-found'
export type UnitActivity = 'active' | 'activating' | 'inactive' | 'failed'

export interface UnitState {
  readonly enablement: UnitEnablement
  readonly activity: UnitActivity
}

/** Everything that a phase may change and a later one may stumble over. */
export interface MachineState {
  /** By absolute path; of /usr only what differs from the machine as it was made. */
  readonly files: ReadonlyMap<string, FileState>
  /** By full name, e.g. kubelet.service. */
  readonly units: ReadonlyMap<string, UnitState>
  /** Mount points that were not there when the machine was made, sorted. */
  readonly mounts: readonly string[]
  /** Network devices but lo, sorted. */
  readonly devices: readonly string[]
  /** Processes that keep containers of Kubernetes alive. */
  readonly containers: number
  /** Commands of what else runs, sorted; absent where a machine does not tell. */
  readonly processes?: readonly string[]
}

export interface PhaseToRun {
  readonly phase: ScriptPhase
  readonly rendered: RenderedPhase
}

export interface PhaseEnd {
  /** Absent where it was killed, also for taking longer than the profile's timeout. */
  readonly exitCode?: number
  /** stdout and stderr as they came, capped in the middle. */
  readonly output: string
  /** What it did to the machine, of which nothing more can be said then: `filled its disk`. */
  readonly ruin?: string
}

/** Throws SandboxError where the machine itself, not the profile, fails. */
export interface ProofMachine {
  /** As the engine runs it: preamble, environment, /dev/null as stdin, ended at the profile's timeout. */
  run(run: PhaseToRun): Promise<PhaseEnd>
  /** Resolves when everything that is enabled was started again. */
  reboot(): Promise<void>
  state(): Promise<MachineState>
  close(): Promise<void>
}

/** A point of a run between two commands, of the script or of a program with several effects. */
export interface Step {
  /** From 0. */
  readonly index: number
  /** Of the script, counted without preamble; 0 inside of a program that it called. */
  readonly line: number
  /** What comes next, before expansion, its first line. */
  readonly command: string
}

/** A program that was started during a run. */
export interface StartedProgram {
  readonly arguments: readonly string[]
  /** NAME=value. */
  readonly environment: readonly string[]
}

/** A state that another machine can be made from. */
export interface SavedMachine {
  readonly id: string
}

/** A machine whose runs can be stopped at any point, and whose state can be kept. */
export interface SteppedMachine extends ProofMachine {
  /** As `run`; before every step the run waits for the answer, and `kill` ends it there as a power cut of the run would. */
  runStepped(run: PhaseToRun, answer: (step: Step) => Promise<'go on' | 'kill'>): Promise<PhaseEnd>
  /** As `run`, and tells every program that was started with its arguments and environment. */
  runRecorded(run: PhaseToRun): Promise<PhaseEnd & { readonly programs: readonly StartedProgram[] }>
  /** Those of the state; cheaper than all of it, and to be had while a run waits. */
  files(): MachineState['files']
  /** Something that differs whenever the state may; cheaper than `state`. */
  fingerprint(): Promise<string>
  save(): Promise<SavedMachine>
  /** Makes, as root, what an accident or another administrator made: bash, run on the machine. Throws SandboxError where it fails. */
  prepare(script: string): Promise<void>
  /** Sets what a stub does from now on: bash that it reads first; '' for its own behavior. */
  steer(command: string, fragment: string): Promise<void>
}

export interface SteppedMachines {
  /** A fresh one, or one in a state that was saved by these machines. */
  make(from?: SavedMachine): Promise<SteppedMachine>
  /** Forgets saved states; machines are closed by whoever made them. */
  close(): Promise<void>
}
