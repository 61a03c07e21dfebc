import { SpecError } from '../errors/spec-error.ts'
import { parseSigners } from '../signature/signers.ts'
import { readPublicKeys } from './read-public-keys.ts'

/** What --signer names. Throws SpecError (FileUnreadable, KeyInvalid, SignerInvalid, SignersMissing). */
export async function readSignerLines(given: string): Promise<readonly string[]> {
  const text = await readPublicKeys('signer', given)
  const parsed = parseSigners([text])
  if (parsed.kind === 'refused') {
    throw new SpecError(`Cannot use --signer: ${parsed.message}`, { reason: parsed.reason })
  }
  return text.split('\n').filter((line) => line.trim() !== '')
}
