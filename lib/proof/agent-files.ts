// Where a unit is on a machine.
import type { MachineState } from './ports.ts'

const folders = ['/etc', '/run', '/usr/local/lib', '/usr/lib'].map((path) => `${path}/systemd/system`)

/** The file of a unit and the program that it starts, after its drop-ins: those that are the machine's own. */
export function agentFiles(files: MachineState['files'], unit: string): readonly string[] {
  const file = folders.map((folder) => `${folder}/${unit}`).find((path) => files.get(path)?.kind === 'file')
  const dropIns = folders
    .flatMap((folder) => [...files.keys()].filter((path) => path.startsWith(`${folder}/${unit}.d/`)))
    .filter((path) => path.endsWith('.conf'))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const texts = [file, ...dropIns].map((path) => files.get(path ?? '')?.content ?? '')
  const program = programOf(texts.join('\n'))
  return [
    ...(file === undefined ? [] : [file]),
    ...(program !== undefined && files.has(program) ? [program] : []),
  ]
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Of the last ExecStart that is not empty. */
function programOf(text: string): string | undefined {
  const commands = [...text.matchAll(/^ExecStart=[-@:+!]*(\/\S+)/gm)]
  return commands.at(-1)?.[1]
}

/** Where a mask of the unit stands. */
export function maskPath(unit: string): string {
  return `/etc/systemd/system/${unit}`
}
