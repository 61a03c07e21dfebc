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

/** The arguments of processes that keep containers of Kubernetes alive. `root` is the machine seen from outside. */
export function containersOf(root: string): readonly string[] {
  const pids = readdirSync(join(root, 'proc')).filter((name) => /^\d+$/.test(name))
  // A process that has just been forked off a shim looks like it for a moment.
  return [...new Set(pids.map((pid) => commandOf(join(root, 'proc', pid))).filter(isShim))]
}

function commandOf(folder: string): string {
  try {
    return readFileSync(join(folder, 'cmdline'), 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

function isShim(command: string): boolean {
  return command.includes('containerd-shim') && command.includes(' -namespace k8s.io ')
}
