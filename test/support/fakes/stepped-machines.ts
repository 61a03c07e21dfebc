// Machines in memory, whose scripts are lines of a small language; each line is a step, and a machine that is killed before a
// line has done exactly the lines before it.
//
//   write PATH [MODE] [TEXT…]   remove PATH          enable|disable|mask|start|stop UNIT   run PROGRAM WORDS…
//   say TEXT…                   fail CODE            mount PATH   umount PATH              device NAME   undevice NAME
//   know|forget UNIT            contain N            background PROGRAM WORDS…             destroy
//   if|unless PATH LINE         with NAME=VALUE LINE (an environment for run)
import { SandboxError } from '../../../lib/errors/sandbox-error.ts'
import type {
  FileState,
  MachineState,
  PhaseEnd,
  PhaseToRun,
  SavedMachine,
  StartedProgram,
  Step,
  SteppedMachine,
  SteppedMachines,
  UnitState,
} from '../../../lib/proof/ports.ts'

interface World {
  files: Map<string, FileState>
  units: Map<string, UnitState>
  mounts: string[]
  devices: string[]
  containers: number
  processes: string[]
  ruin?: string
}

export interface FakeMachines extends SteppedMachines {
  /** Throws where a machine was not closed. */
  assertIdle(): void
  /** Fragments by command, as the last machine was steered. */
  readonly steered: ReadonlyMap<string, string>
}

export function fakeMachines(): FakeMachines {
  const saved = new Map<string, World>()
  const steered = new Map<string, string>()
  let open = 0
  return {
    steered,
    make(from) {
      open += 1
      const world = from === undefined ? emptyWorld() : saved.get(from.id)
      if (world === undefined) return Promise.reject(new Error(`unknown ${from?.id ?? ''}`))
      return Promise.resolve(
        fakeMachine(structuredClone(world), {
          steered,
          save: (kept) => {
            const machine: SavedMachine = { id: `saved-${saved.size + 1}` }
            saved.set(machine.id, structuredClone(kept))
            return machine
          },
          close: () => void (open -= 1),
        }),
      )
    },
    close: () => Promise.resolve(),
    assertIdle() {
      if (open !== 0) throw new Error(`${open} machines were not closed`)
    },
  }
}

function emptyWorld(): World {
  return { files: new Map(), units: new Map(), mounts: [], devices: ['eth0'], containers: 0, processes: [] }
}

interface Surroundings {
  readonly steered: Map<string, string>
  readonly save: (world: World) => SavedMachine
  readonly close: () => void
}

interface Running {
  readonly world: World
  readonly programs: StartedProgram[]
  output: string
  exitCode: number | undefined
}

function fakeMachine(world: World, { steered, save, close }: Surroundings): SteppedMachine {
  async function runStepped(
    { rendered }: PhaseToRun,
    answer: (step: Step) => Promise<'go on' | 'kill'>,
  ): Promise<PhaseEnd & { programs: readonly StartedProgram[] }> {
    const running: Running = { world, programs: [], output: '', exitCode: undefined }
    const lines = rendered.script.split('\n').map((line) => line.trim())
    let index = 0
    for (const [place, line] of lines.entries()) {
      if (line === '' || line.startsWith('#') || line.startsWith('set ')) continue
      if ((await answer({ index, line: place + 1, command: line })) === 'kill') {
        return { output: running.output, programs: running.programs }
      }
      index += 1
      carryOut(running, expand(line, rendered.environment))
      if (running.exitCode !== undefined) break
    }
    const { output, programs, exitCode = 0 } = running
    return { exitCode, output, programs, ...(world.ruin !== undefined && { ruin: world.ruin }) }
  }
  const goOn = () => Promise.resolve('go on' as const)
  return {
    run: async (run) => withoutPrograms(await runStepped(run, goOn)),
    runStepped: async (run, answer) => withoutPrograms(await runStepped(run, answer)),
    runRecorded: (run) => runStepped(run, goOn),
    reboot() {
      for (const path of world.files.keys()) if (/^\/(run|tmp)\//.test(path)) world.files.delete(path)
      world.mounts = []
      world.devices = ['eth0']
      world.containers = 0
      world.processes = []
      for (const [name, unit] of world.units) {
        world.units.set(name, {
          ...unit,
          activity: unit.enablement === 'enabled' ? 'active' : 'inactive',
        })
      }
      return Promise.resolve()
    },
    state: () =>
      world.ruin !== undefined
        ? Promise.reject(new SandboxError('Cannot read the state of a machine: it is lost'))
        : Promise.resolve<MachineState>(structuredClone({ ...world, mounts: [...world.mounts].sort() })),
    files: () => structuredClone(world.files),
    fingerprint: () =>
      Promise.resolve(
        JSON.stringify([[...world.files], [...world.units], world.mounts, world.devices, world.containers]),
      ),
    save: () => Promise.resolve(save(world)),
    prepare(script) {
      return prepare(world, script)
    },
    steer(command, fragment) {
      steered.set(command, fragment)
      return Promise.resolve()
    },
    close() {
      close()
      return Promise.resolve()
    },
  }
}

function withoutPrograms({ exitCode, output, ruin }: PhaseEnd): PhaseEnd {
  return { ...(exitCode !== undefined && { exitCode }), output, ...(ruin !== undefined && { ruin }) }
}

function expand(line: string, environment: Readonly<Record<string, string>>): string {
  return line.replaceAll(/\$(\w+)/g, (_, name: string) => environment[name] ?? '')
}

/** What proofs do to a machine by hand, of real bash: removing files and masking units; else lines of the language. */
function prepare(world: World, script: string): Promise<void> {
  const running: Running = { world, programs: [], output: '', exitCode: undefined }
  for (const line of script.split('\n').filter((each) => each !== '' && !each.startsWith('systemctl'))) {
    const mask = /^ln -sfn \/dev\/null '(.*)'$/.exec(line)?.[1]
    if (mask !== undefined) maskUnit(world, mask)
    else if (!line.startsWith('rm -f')) carryOut(running, line)
    else for (const [, path = ''] of line.matchAll(/'([^']*)'/g)) world.files.delete(path)
  }
  if (running.exitCode === undefined) return Promise.resolve()
  return Promise.reject(new SandboxError(`Cannot prepare a machine: it ended with ${running.exitCode}`))
}

function maskUnit(world: World, path: string): void {
  world.files.set(path, { kind: 'link', mode: 0o777, owner: 'root:root', content: '/dev/null' })
  changeUnit(world, path.slice(path.lastIndexOf('/') + 1), () => ({ enablement: 'masked' }))
}

type Words = readonly [first: string, rest: readonly string[]]

const language: Readonly<Record<string, (running: Running, words: Words) => unknown>> = {
  write({ world }, [path, words]) {
    const hasMode = /^0?[0-7]{3}$/.test(words[0] ?? '')
    const content = words.slice(hasMode ? 1 : 0).join(' ')
    const mode = Number.parseInt((hasMode ? words[0] : undefined) ?? '644', 8)
    return world.files.set(path, { kind: 'file', owner: 'root:root', content, mode })
  },
  remove: ({ world }, [path]) => world.files.delete(path),
  know: ({ world }, [name]) =>
    changeUnit(world, name, ({ enablement }) => ({
      enablement: enablement === 'not-found' ? 'disabled' : enablement,
    })),
  forget: ({ world }, [name]) => world.units.delete(name),
  enable: ({ world }, [name]) => changeUnit(world, name, () => ({ enablement: 'enabled' })),
  disable: ({ world }, [name]) =>
    changeUnit(world, name, ({ enablement }) => ({
      enablement: enablement === 'enabled' ? 'disabled' : enablement,
    })),
  unmask({ world }, [name]) {
    world.files.delete(`/etc/systemd/system/${name}`)
    changeUnit(world, name, () => ({ enablement: 'disabled' }))
  },
  start: ({ world }, [name]) => changeUnit(world, name, () => ({ activity: 'active' })),
  stop: ({ world }, [name]) =>
    world.units.has(name) && changeUnit(world, name, () => ({ activity: 'inactive' })),
  mount: ({ world }, [path]) => world.mounts.push(path),
  umount: ({ world }, [path]) => (world.mounts = world.mounts.filter((each) => each !== path)),
  device: ({ world }, [name]) => (world.devices = [...new Set([...world.devices, name])].sort()),
  undevice: ({ world }, [name]) => (world.devices = world.devices.filter((each) => each !== name)),
  contain: ({ world }, [count]) => (world.containers = Number(count)),
  background: ({ world }, [first, rest]) => world.processes.push([first, ...rest].join(' ')),
  destroy: ({ world }) => (world.ruin = 'destroyed its machine'),
  say: (running, [first, rest]) => (running.output += `${[first, ...rest].join(' ')}\n`),
  run: ({ programs }, [first, rest]) => programs.push({ arguments: [first, ...rest], environment: [] }),
  with: ({ programs }, [first, rest]) => programs.push({ arguments: rest, environment: [first] }),
  fail: (running, [code]) => (running.exitCode = Number(code)),
  if: (running, [path, rest]) => running.world.files.has(path) && carryOut(running, rest.join(' ')),
  unless: (running, [path, rest]) => running.world.files.has(path) || carryOut(running, rest.join(' ')),
}

function changeUnit(world: World, name: string, change: (unit: UnitState) => Partial<UnitState>): void {
  const unit = world.units.get(name) ?? { enablement: 'not-found', activity: 'inactive' }
  const changed = { ...unit, ...change(unit) }
  if (changed.enablement !== 'not-found') world.units.set(name, changed)
}

function carryOut(running: Running, line: string): boolean {
  const [verb = '', first = '', ...rest] = line.split(' ')
  const act = language[verb]
  if (act === undefined) throw new Error(`the machine does not know: ${line}`)
  act(running, [first, rest])
  return true
}
