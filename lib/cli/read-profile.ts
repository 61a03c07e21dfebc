// Profiles from YAML or JSON files, several documents in one file, or from their folders.
import { stat } from 'node:fs/promises'
import { SpecError } from '../errors/spec-error.ts'
import type { Profile } from '../profile/profile.ts'
import { examineProfile, type ProfileDocument } from './examine-profile.ts'
import { readText } from './read-input.ts'
import { readProfileFolder } from './read-profile-folder.ts'
import { parseYaml, placesIn, toPlain } from './yaml-document.ts'

/** Throws SpecError (FileUnreadable, YamlInvalid, NoProfile). */
export async function readProfiles(path: string): Promise<readonly ProfileDocument[]> {
  if (await isFolder(path)) return [(await readProfileFolder(path)).examined]
  const documents = parseYaml(path, await readText(path))
  const profiles = documents.filter(({ document }) => document.get('kind') === 'SSHJoinProfile')
  if (profiles.length === 0) {
    throw new SpecError(`Cannot use "${path}": it holds no SSHJoinProfile, give the file of a profile`, {
      reason: 'NoProfile',
    })
  }
  return profiles.map((each) => examineProfile(path, toPlain(path, each), placesIn(path, each)))
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** The one profile of a file or folder, or the one of that name. Throws SpecError. */
export async function readProfile(path: string, name: string | undefined): Promise<Profile> {
  const { profile, findings } = choose(path, await readProfiles(path), name)
  if (profile !== undefined) return profile
  const finding = findings.find(({ severity }) => severity === 'error')
  const { file, line, message } = finding ?? { file: path, line: 1, message: 'the manifest is invalid' }
  const where = file === path ? `line ${line}` : `${file}:${line}`
  throw new SpecError(`Cannot use "${path}": ${where}, ${message}, kpssh profile lint tells everything`, {
    reason: 'ProfileInvalid',
  })
}

function choose(
  path: string,
  documents: readonly ProfileDocument[],
  name: string | undefined,
): ProfileDocument {
  const wanted = documents.filter((document) => name === undefined || document.name === name)
  const [document] = wanted
  if (document !== undefined && wanted.length === 1) return document
  const names = documents.map((candidate) => candidate.name).join(', ')
  const state = document === undefined ? `no "${name ?? ''}"` : 'several profiles'
  throw new SpecError(
    `Cannot choose a profile of "${path}": it holds ${state}, choose one of ${names} with --name`,
    { reason: 'ProfileAmbiguous' },
  )
}
