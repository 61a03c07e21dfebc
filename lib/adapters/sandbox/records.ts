// What the stubs, and the wrappers around real programs, wrote down of themselves.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartedProgram } from '../../proof/ports.ts'

/** Files of the folder that were not there before, in the order in which they were written. */
export function readPrograms(folder: string, before: ReadonlySet<string>): readonly StartedProgram[] {
  return readdirSync(folder)
    .filter((name) => !before.has(name))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => parseRecord(readFileSync(join(folder, name), 'utf8')))
}

/** The number of arguments, the arguments, the environment; each entry ends with NUL. */
function parseRecord(text: string): StartedProgram {
  const [count = '0', ...entries] = text.split('\0')
  const end = Number(count)
  return {
    arguments: entries.slice(0, end),
    environment: entries.slice(end).filter((entry) => entry !== ''),
  }
}
