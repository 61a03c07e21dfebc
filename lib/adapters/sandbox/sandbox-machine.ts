// One machine as proofs use it.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../ambient/ports.ts'
import { SandboxError } from '../../errors/sandbox-error.ts'
import type {
  MachineState,
  PhaseEnd,
  PhaseToRun,
  SavedMachine,
  Step,
  SteppedMachine,
} from '../../proof/ports.ts'
import { archive } from './archive.ts'
import { readFileState, walkFolder, walkMachine } from './machine-files.ts'
import { containersIn, lastingProcesses, mountsOf, processesOf } from './machine-kernel.ts'
import { readUnits, unitNames } from './machine-units.ts'
import { runProcess } from './phase-process.ts'
import { ruinOf } from './ruin.ts'
import { readPrograms } from './records.ts'
import type { StartedMachine } from './start-machine.ts'

type Keep = (into: (file: string) => Promise<void>) => Promise<SavedMachine>

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const login = {
  PATH: path,
  HOME: '/root',
  USER: 'root',
  LOGNAME: 'root',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
}
/** What tests and proofs do to a machine beside running phases takes no longer. */
const choreMs = 60_000

/** `keep` gives a place to a state and remembers it. */
export function makeSandboxMachine(clock: Clock, started: StartedMachine, keep: Keep): SteppedMachine {
  const { initPid } = started
  const root = `/proc/${String(initPid)}/root`
  const own = join(root, '.sandbox')
  const chore = makeChores(clock, initPid)
  const runPhase = makePhases(clock, initPid, join(own, 'run'))
  return {
    run: (run) => runPhase(run),
    runStepped: (run, answer) => runPhase(run, { answer }),
    async runRecorded(run) {
      await chore('watch the programs', ['bash', '/.sandbox/watch-programs'])
      const before = new Set(readdirSync(join(own, 'record')))
      const end = await runPhase(run, { firstOnPath: '/.sandbox/watched' })
      return { ...end, programs: end.ruin !== undefined ? [] : readPrograms(join(own, 'record'), before) }
    },
    async reboot() {
      await chore('reboot', ['bash', '/.sandbox/reboot'])
    },
    async state() {
      const before = processesOf(root)
      const mounts = mountsOf(initPid)
      const files = filesOf(root, mounts)
      const units = await readUnits(unitNames(root, files), (command) => chore('read the units', command))
      const later = processesOf(root)
      return {
        ...{ files, units, mounts, devices: namesIn(join(own, 'volatile/devices')) },
        ...{ containers: containersIn(later).length, processes: lastingProcesses(before, later) },
      }
    },
    files: () => filesOf(root, mountsOf(initPid)),
    fingerprint: () => Promise.resolve(fingerprintOf(initPid, root)),
    save: () =>
      keep(async (file) => {
        await chore('note what runs', ['bash', '/.sandbox/save'])
        await archive(root, file, mountsOf(initPid))
      }),
    async prepare(script) {
      await chore('prepare a machine', ['bash', '-euo', 'pipefail', '-s'], script)
    },
    steer(command, fragment) {
      const file = join(own, 'steer', command)
      if (fragment === '') rmSync(file, { force: true })
      // Written in place: some of these files are mounted over files of the kernel's.
      else writeFileSync(file, fragment)
      return Promise.resolve()
    },
    close: () => started.stop(),
  }
}

type Chore = (what: string, command: readonly string[], stdin?: string) => Promise<string>

/** Runs something on the machine that must succeed. Resolves with what it printed. Throws SandboxError (SandboxFailed). */
function makeChores(clock: Clock, initPid: number): Chore {
  return async (what, command, stdin) => {
    const { exitCode, output } = await runProcess(clock, {
      ...{ initPid, command, environment: login, timeoutMs: choreMs },
      ...(stdin !== undefined && { stdin }),
    })
    if (exitCode === 0) return output
    throw failed(what, `it ended with ${String(exitCode ?? 'KILL')}: ${output.trim().slice(-2000)}`)
  }
}

function failed(what: string, why: string): SandboxError {
  return new SandboxError(`Cannot ${what} in a sandbox: ${why}`, { reason: 'SandboxFailed' })
}

function makePhases(
  clock: Clock,
  initPid: number,
  folder: string,
): (run: PhaseToRun, extra?: RunExtra) => Promise<PhaseEnd> {
  return async (run, extra = {}) => {
    const ruined = ruinOf(initPid)
    if (ruined !== undefined) return { output: '', ruin: ruined }
    prepareRun(folder, run, extra)
    const end = await runProcess(clock, {
      initPid,
      command: ['bash', '/.sandbox/run/script'],
      environment: {
        ...login,
        ...run.rendered.environment,
        BASH_ENV: '/.sandbox/run/trap',
      },
      // Whoever answers takes time as well.
      timeoutMs: run.rendered.timeoutMs * (extra.answer === undefined ? 1 : 4),
      answer: extra.answer,
    })
    const ruin = ruinOf(initPid)
    if (ruin !== undefined) return { ...end, ruin }
    rmSync(folder, { recursive: true, force: true })
    return end
  }
}

function filesOf(root: string, mounts: readonly string[]): MachineState['files'] {
  return new Map([...walkMachine(root, mounts)].map((found) => [found.path, readFileState(found)]))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

/** Whatever a phase does leaves a trace in the inodes of the machine, of its volatile state, its mounts or its containers. */
function fingerprintOf(initPid: number, root: string): string {
  const hash = createHash('sha256')
  const mounts = mountsOf(initPid)
  const own = join(root, '.sandbox/volatile')
  for (const { path: where, stats } of [...walkMachine(root, mounts), ...walkFolder(own)]) {
    hash.update(`${where} ${stats.mode} ${stats.size} ${stats.ino} ${stats.mtimeMs} ${stats.ctimeMs}\n`)
  }
  hash.update(JSON.stringify([mounts, [...containersIn(processesOf(root))].sort()]))
  return hash.digest('hex')
}

interface RunExtra {
  readonly answer?: ((step: Step) => Promise<'go on' | 'kill'>) | undefined
  readonly firstOnPath?: string
}

/** The script as the engine hands it to bash, and what bash reads before it; the script itself is not changed. */
function prepareRun(folder: string, { rendered }: PhaseToRun, { answer, firstOnPath }: RunExtra): void {
  rmSync(folder, { recursive: true, force: true })
  const pathLine = firstOnPath === undefined ? '' : `PATH=${firstOnPath}:$PATH\n`
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(join(folder, 'script'), rendered.script)
  writeFileSync(join(folder, 'trap'), `${pathLine}${answer === undefined ? plainTrap : steppedTrap}`)
}

const plainTrap = 'set -euo pipefail\nexec 3>&- 4<&-\nunset BASH_ENV\n'
/** Functions and subshells inherit the trap. It asks on one pipe and waits on the other; the pipes are all that it needs. */
const steppedTrap = `set -euo pipefail
exec 77>&3 78<&4 3>&- 4<&-
unset BASH_ENV
set -T
trap '{ printf "%s %s\\n" "$LINENO" "\${BASH_COMMAND%%$'"'\\n'"'*}" >&77 && read -r -N 1 -u 78 kpssh_step; } 2>/dev/null || :' DEBUG
`
