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

/** Arguments, an empty entry, the environment; each ends with NUL. An argument may be empty, a variable never is. */
function parseRecord(text: string): StartedProgram {
  const entries = text.split('\0').slice(0, -1)
  const middle = entries.lastIndexOf('')
  return { arguments: entries.slice(0, middle), environment: entries.slice(middle + 1) }
}
