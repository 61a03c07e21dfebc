import { existsSync } from 'node:fs'
import { SpecError } from '../errors/spec-error.ts'
import { readText } from './read-input.ts'

const privateKey = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/m

/** Lines of public keys, or what is in the file of that name. Throws SpecError (FileUnreadable, KeyInvalid). */
export async function readPublicKeys(option: string, given: string): Promise<string> {
  const isFile = existsSync(given)
  // A key line has spaces: one word was meant as a file.
  if (!isFile && /^\S+$/.test(given)) {
    throw new SpecError(
      `Cannot use --${option} "${given}": there is no such file, give a public key or the file of one`,
      { reason: 'FileUnreadable' },
    )
  }
  const text = isFile ? await readText(given) : given
  if (!privateKey.test(text)) return text
  const [what, half] = isFile ? [` "${given}"`, `, "${given}.pub" as a rule`] : ['', '']
  throw new SpecError(`Cannot use --${option}${what}: it is a private key, give its public half${half}`, {
    reason: 'KeyInvalid',
  })
}
