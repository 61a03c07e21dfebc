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

/** Commands of the machine's processes by their number there, without its first. `root` is the machine seen from outside. */
export function processesOf(root: string): ReadonlyMap<string, string> {
  const pids = readdirSync(join(root, 'proc')).filter((name) => /^\d+$/.test(name) && name !== '1')
  return new Map(
    pids
      .map((pid) => [pid, commandOf(join(root, 'proc', pid))] as const)
      .filter(([, command]) => command !== ''),
  )
}

/** Those that keep containers of Kubernetes alive. */
export function containersIn(processes: ReadonlyMap<string, string>): readonly string[] {
  // A process that has just been forked off a shim looks like it for a moment.
  return [...new Set([...processes.values()].filter(isShim))]
}

/** What runs besides containers: what was there before as well as later, and so is not about to end. */
export function lastingProcesses(
  before: ReadonlyMap<string, string>,
  later: ReadonlyMap<string, string>,
): readonly string[] {
  return [...later]
    .filter(([pid, command]) => before.get(pid) === command && !isShim(command))
    .map(([, command]) => command)
    .sort()
}

function commandOf(folder: string): string {
  try {
    return readFileSync(join(folder, 'cmdline'), 'latin1').replaceAll('\0', ' ').trimEnd()
  } catch {
    return ''
  }
}

function isShim(command: string): boolean {
  return command.includes('containerd-shim') && / -namespace k8s\.io(?: |$)/.test(command)
}
