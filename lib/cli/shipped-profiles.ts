// The profiles that come with kpssh, each a folder beside the code.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SSHJoinProfileManifest } from '../api/ssh-join-profile.ts'
import { SpecError } from '../errors/spec-error.ts'
import { buildProfile } from './build-profile.ts'
import { readText } from './read-input.ts'

export interface ShippedProfile {
  readonly name: string
  readonly folder: string
  /** One phrase, without a full stop. */
  readonly purpose: string
  readonly manifest: SSHJoinProfileManifest
}

const root = fileURLToPath(new URL('../../profiles', import.meta.url))

/** By name. */
export async function shippedProfiles(): Promise<readonly ShippedProfile[]> {
  return Promise.all((await names()).map(read))
}

/** Throws SpecError (ProfileUnknown). */
export async function shippedProfile(name: string): Promise<ShippedProfile> {
  const known = await names()
  if (known.includes(name)) return read(name)
  throw new SpecError(
    `Cannot show profile "${name}": it does not come with kpssh, use one of ${known.join(', ')}`,
    {
      reason: 'ProfileUnknown',
    },
  )
}

async function names(): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

async function read(name: string): Promise<ShippedProfile> {
  const folder = join(root, name)
  const [{ manifest }, readme] = await Promise.all([
    buildProfile(folder),
    readText(join(folder, 'README.md')),
  ])
  return { name, folder, purpose: purposeOf(readme), manifest: SSHJoinProfileManifest.parse(manifest) }
}

/** The first phrase below the title, as plain text. */
function purposeOf(readme: string): string {
  const [, paragraph = ''] = readme.split(/\n{2,}/)
  const plain = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .replaceAll('\n', ' ')
  return /^.*?(?=[.:](?:\s|$)|$)/.exec(plain)?.[0] ?? ''
}
