import { existsSync } from 'node:fs'
import { readText } from './read-input.ts'

/** A public key line, or what is in the file of that name. Throws SpecError (FileUnreadable). */
export async function readSignerLines(given: string): Promise<readonly string[]> {
  const text = existsSync(given) ? await readText(given) : given
  return text.split('\n').filter((line) => line.trim() !== '')
}
