// What a profile's folder says about its proofs: proof.yaml and proof.txt, both of which may be missing.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SSHJoinProfileManifest } from '../api/ssh-join-profile.ts'
import { SpecError } from '../errors/spec-error.ts'
import { parseProofSettings, requireProvableVars, type ProofSettings } from '../proof/proof-settings.ts'
import type { Profile } from '../profile/profile.ts'
import { buildProfile } from './build-profile.ts'
import { readText } from './read-input.ts'
import { parseYaml, toPlain } from './yaml-document.ts'

export interface ProofFolder {
  readonly profile: Profile
  readonly settings: ProofSettings
  /** Where the golden text is, or would be. */
  readonly goldenFile: string
  readonly golden: string | undefined
}

/** Throws SpecError: what building a profile throws, ProofInvalid, ProofVarsInvalid, ProfileNoFolder. */
export async function readProofFolder(folder: string): Promise<ProofFolder> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new SpecError(`Cannot prove "${folder}": it is no folder, give the folder of a profile`, {
      ...{ reason: 'ProfileNoFolder', cause: error },
    })
  })
  const profile = SSHJoinProfileManifest.parse((await buildProfile(folder)).manifest)
  const settingsFile = join(folder, 'proof.yaml')
  const goldenFile = join(folder, 'proof.txt')
  const settings = parseProofSettings(
    settingsFile,
    names.includes('proof.yaml') ? await readYaml(settingsFile) : undefined,
  )
  requireProvableVars(profile, settings, settingsFile)
  const golden = names.includes('proof.txt') ? await readText(goldenFile) : undefined
  return { profile, settings, goldenFile, golden }
}

async function readYaml(file: string): Promise<unknown> {
  const [document, ...others] = parseYaml(file, await readText(file))
  if (others.length > 0) {
    throw new SpecError(`Cannot use "${file}": it has several documents, write one`, {
      reason: 'ProofInvalid',
    })
  }
  return document === undefined ? undefined : toPlain(file, document)
}
