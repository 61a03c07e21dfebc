// What the kernel keeps of a machine: mounts and processes, read from outside.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Mount points that were not there when the machine was made, sorted. `/proc/<pid>` of the machine's first process. */
export function mountsOf(initPid: number): readonly string[] {
  const lines = readFileSync(`/proc/${String(initPid)}/mountinfo`, 'utf8')
    .trim()
    .split('\n')
  return lines
    .map((line) => unescaped(line.split(' ')[4] ?? ''))
    .filter((mount) => !isAsMade(mount))
    .sort()
}

function isAsMade(mount: string): boolean {
  return mount === '/' || /^\/(proc|dev|usr|usr\/local)(\/|$)/.test(mount)
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))
}

export interface MachineProcess {
  /** Its number, and that of its parent, on the machine. */
  readonly pid: string
  readonly parent: string
  /** Program and arguments. */
  readonly command: string
}

/** All but the first. `root` is the machine seen from outside. */
export function processesOf(root: string): readonly MachineProcess[] {
  return namesIn(join(root, 'proc'))
    .filter((name) => /^\d+$/.test(name) && name !== '1')
    .map((pid) => readProcess(join(root, 'proc', pid), pid))
    .filter(({ command }) => command !== '')
}

/** None where a script has unmounted the kernel's files. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Without a command where it has ended. */
function readProcess(folder: string, pid: string): MachineProcess {
  try {
    const command = readFileSync(join(folder, 'cmdline'), 'latin1').replaceAll('\0', ' ').trimEnd()
    const stat = readFileSync(join(folder, 'stat'), 'latin1')
    const [, parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { pid, parent, command }
  } catch {
    return { pid, parent: '', command: '' }
  }
}

/** Commands of those that keep containers of Kubernetes alive. */
export function containersIn(processes: readonly MachineProcess[]): readonly string[] {
  // A process that has just been forked off a shim looks like it for a moment.
  return [...new Set(processes.filter(isShim).map(({ command }) => command))]
}

/**
 * Commands of what runs besides containers that are kept: what was there before as well as later, and so is not about to end.
 * A container without its shim is one of them.
 */
export function lastingProcesses(
  before: readonly MachineProcess[],
  later: readonly MachineProcess[],
): readonly string[] {
  const commands = new Map(before.map(({ pid, command }) => [pid, command]))
  const shims = new Set(later.filter(isShim).map(({ pid }) => pid))
  return later
    .filter(
      ({ pid, parent, command }) => commands.get(pid) === command && !shims.has(pid) && !shims.has(parent),
    )
    .map(({ command }) => command)
    .sort()
}

function isShim({ command }: MachineProcess): boolean {
  return command.includes('containerd-shim') && / -namespace k8s\.io(?: |$)/.test(command)
}
