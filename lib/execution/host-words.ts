// What a host said of itself, before it gets into a message, a table item, a condition or an event. Hosts are not trusted: a
// word that is not what our program would have said makes the whole answer worthless.
import { printableLine } from './printable.ts'

/** Ids that we gave out: of runs and installations, and of boots, which the kernel gives out. They may name files. */
export const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** Room for a path, or for the names of all tools that can be missing. */
const longestFact = 300

/** On one line, fit for a terminal, and short. */
export function toFact(text: string): string {
  const line = printableLine(text.slice(0, longestFact + 1)).trim()
  return (line.length <= longestFact ? line : `${line.slice(0, longestFact)}…`).toWellFormed()
}
