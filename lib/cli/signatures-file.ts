// What `kpssh profile sign` leaves beside the scripts, and `kpssh profile build` puts into the manifest.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Document, Scalar, visit } from 'yaml'
import { z } from 'zod'
import { SSHJoinProfileSpec } from '../api/ssh-join-profile.ts'
import { SpecError } from '../errors/spec-error.ts'
import { readText } from './read-input.ts'
import { parseYaml, toPlain } from './yaml-document.ts'

const fileName = 'signatures.yaml'
const heading = '# Made by "kpssh profile sign": sign again after every change of the profile.\n'

const Signatures = z.strictObject({
  signatures: SSHJoinProfileSpec.shape.signatures,
  manifests: SSHJoinProfileSpec.shape.manifests,
})
/** spec.signatures and spec.manifests. */
export type Signatures = Readonly<z.infer<typeof Signatures>>

export function signaturesFile(folder: string): string {
  return join(folder, fileName)
}

/** undefined where nobody has signed. Throws SpecError (FileUnreadable, YamlInvalid, SignaturesInvalid). */
export async function readSignatures(folder: string): Promise<Signatures | undefined> {
  const names = await readdir(folder)
  if (!names.includes(fileName)) return undefined
  const file = signaturesFile(folder)
  const [document] = parseYaml(file, await readText(file))
  const parsed = Signatures.safeParse(document && toPlain(file, document))
  if (parsed.success) return parsed.data
  throw new SpecError(
    `Cannot use "${file}": it is not as "kpssh profile sign" writes it, sign the profile again`,
    { reason: 'SignaturesInvalid' },
  )
}

export function signaturesText(signatures: Signatures): string {
  const document = new Document(signatures)
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = Scalar.BLOCK_LITERAL
    },
  })
  return heading + document.toString({ lineWidth: 0 })
}
