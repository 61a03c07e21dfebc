// A shipped profile on machines of its own, at the point of its life where a test begins.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { after, type TestContext } from 'node:test'
import { readProfile } from '../../../lib/cli/read-profile.ts'
import type {
  MachineState,
  PhaseEnd,
  PhaseToRun,
  SavedMachine,
  SteppedMachine,
} from '../../../lib/proof/ports.ts'
import type { JoinContext } from '../../../lib/profile/join-context.ts'
import { parseProofSettings } from '../../../lib/proof/proof-settings.ts'
import { renderPhase } from '../../../lib/profile/render-phase.ts'
import type { ScriptPhase } from '../../../lib/profile/script-phase.ts'
import { parse } from 'yaml'
import { someSandboxes, type Family } from './sandboxes.ts'

export type Stage = 'fresh' | 'installed' | 'joined' | 'left'
const before: Readonly<Record<Exclude<Stage, 'fresh'>, readonly [Stage, ScriptPhase]>> = {
  installed: ['fresh', 'install'],
  joined: ['installed', 'join'],
  left: ['joined', 'leave'],
}

export interface PhaseChanges {
  readonly vars?: Readonly<Record<string, string>>
  readonly secrets?: Readonly<Record<string, string>>
  readonly context?: Partial<JoinContext>
}

export interface Trial {
  readonly machine: SteppedMachine
  readonly run: (phase: ScriptPhase, changes?: PhaseChanges) => Promise<Ended>
  /** The same, and tells which programs were started. */
  readonly record: (phase: ScriptPhase, changes?: PhaseChanges) => Promise<Ended & Pick<Recorded, 'programs'>>
  /** What is in a file of the machine; nothing where there is none. */
  readonly read: (path: string) => Promise<string | undefined>
}

export interface Ended {
  readonly code: number | undefined
  /** The last line that is not empty: what operators see first. */
  readonly said: string
  readonly output: string
}

type Recorded = Awaited<ReturnType<SteppedMachine['runRecorded']>>

export interface Trials {
  /** Closed when the test ends. */
  readonly at: (test: TestContext, stage: Stage) => Promise<Trial>
}

/** Machines that have come to a stage are kept, and made again from there. */
export function trialsOf(name: string, family: Family = 'debian'): Trials {
  const folder = fileURLToPath(new URL(`../../../profiles/${name}`, import.meta.url))
  const machines = someSandboxes(family)
  // Without sandboxes every test of them is skipped, and says why.
  machines.catch(() => undefined)
  after(async () => (await machines.catch(() => undefined))?.close())
  const saved = new Map<Stage, Promise<SavedMachine>>()
  async function make(stage: Stage): Promise<SteppedMachine> {
    const made = await machines
    return stage === 'fresh' ? made.make() : made.make(await keep(stage))
  }
  function keep(stage: Exclude<Stage, 'fresh'>): Promise<SavedMachine> {
    const kept = saved.get(stage) ?? reach(stage)
    saved.set(stage, kept)
    return kept
  }
  async function reach(stage: Exclude<Stage, 'fresh'>): Promise<SavedMachine> {
    const [from, phase] = before[stage]
    const machine = await make(from)
    try {
      const ended = toEnded(await machine.run(await render(folder, phase)))
      if (ended.code !== 0) throw new Error(`${name} does not ${phase}: ${ended.output}`)
      return await machine.save()
    } finally {
      await machine.close()
    }
  }
  return {
    async at(test, stage) {
      const machine = await make(stage)
      test.after(() => machine.close())
      return {
        machine,
        run: async (phase, changes) => toEnded(await machine.run(await render(folder, phase, changes))),
        record: async (phase, changes) => {
          const recorded = await machine.runRecorded(await render(folder, phase, changes))
          return { ...toEnded(recorded), programs: recorded.programs }
        },
        read: async (path) => (await machine.state()).files.get(path)?.content,
      }
    },
  }
}

async function render(
  folder: string,
  phase: ScriptPhase,
  { vars = {}, secrets = {}, context: changed = {} }: PhaseChanges = {},
): Promise<PhaseToRun> {
  const profile = await readProfile(folder, undefined)
  const text = await readFile(`${folder}/proof.yaml`, 'utf8')
  const { context } = parseProofSettings('proof.yaml', parse(text))
  const rendered = renderPhase(profile, phase, {
    ...context,
    ...changed,
    Vars: { ...context.Vars, ...vars },
    Secrets: { ...context.Secrets, ...secrets },
  })
  return { phase, rendered }
}

function toEnded({ exitCode, output }: PhaseEnd): Ended {
  return { code: exitCode, output, said: output.trim().split('\n').at(-1) ?? '' }
}

/** Paths that are there in one state only, or differ. */
export function differences(a: MachineState, b: MachineState): readonly string[] {
  const paths = new Set([...a.files.keys(), ...b.files.keys()])
  return [...paths]
    .filter((path) => JSON.stringify(a.files.get(path)) !== JSON.stringify(b.files.get(path)))
    .sort()
}
