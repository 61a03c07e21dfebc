// From a profile's folder to its SSHJoinProfile, refusing what a cluster would refuse, or take and misunderstand.
import { join } from 'node:path'
import { SpecError } from '../errors/spec-error.ts'
import { manifestText, type ProfileManifest } from '../profile/profile-manifest.ts'
import type { Finding } from './examine-profile.ts'
import { readProfileFolder } from './read-profile-folder.ts'

/** Of what lint finds, what is no question of habits. */
const faults: ReadonlySet<string> = new Set([
  'FieldUnknown',
  'LeaveNeedsContext',
  'ParameterInvalid',
  'SchemaInvalid',
  'ScriptMissing',
  'ScriptTooLarge',
  'SignatureStale',
  'TemplateFailed',
  'TemplateUnparsable',
  'TimeoutInvalid',
  'TimeoutOverflow',
  'UndeclaredVar',
])

export interface BuiltProfile {
  /** For an API call. */
  readonly manifest: ProfileManifest
  /** For a file. */
  readonly text: string
}

/** Throws SpecError, naming the file, its line and what is wrong there. */
export async function buildProfile(folder: string): Promise<BuiltProfile> {
  const { manifest } = await buildableProfile(folder)
  return { manifest, text: manifestText(manifest) }
}

/** Throws SpecError as buildProfile does; who signs again takes what is signed no longer as it is. */
export async function buildableProfile(folder: string, { mayBeStale = false } = {}) {
  const { manifest, examined } = await readProfileFolder(folder)
  const found = examined.findings.filter(({ reason }) => !mayBeStale || reason !== 'SignatureStale')
  const fault = found.find(({ reason }) => faults.has(reason))
  if (fault !== undefined) throw refused(folder, fault)
  if (examined.profile !== undefined) return { manifest, profile: examined.profile }
  throw new SpecError(
    `Cannot build the profile in "${join(folder)}": kpssh profile lint tells what is wrong`,
    {
      reason: 'ProfileInvalid',
    },
  )
}

function refused(folder: string, { file, line, message, reason }: Finding): SpecError {
  const where = reason === 'ScriptMissing' ? file : `${file}:${line}`
  return new SpecError(`Cannot build the profile in "${join(folder)}": ${where}, ${message}`, { reason })
}
