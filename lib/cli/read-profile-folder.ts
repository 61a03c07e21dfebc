// A profile as authors keep it: profile.yaml, and beside it a file for each script.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { SpecError } from '../errors/spec-error.ts'
import { assembleManifest, type ProfileManifest, type Scripts } from '../profile/profile-manifest.ts'
import { staleSignatures } from '../profile/manifest/stale-signatures.ts'
import { scriptPhases, type ScriptPhase } from '../profile/script-phase.ts'
import { examineProfile, type Finding, type Places, type ProfileDocument } from './examine-profile.ts'
import { readBytes, readText } from './read-input.ts'
import { readSignatures, signaturesFile } from './signatures-file.ts'
import { parseYaml, placesIn, toPlain } from './yaml-document.ts'

export interface ProfileFolder {
  /** What profile.yaml says, with every byte of the scripts that are there. */
  readonly manifest: ProfileManifest
  readonly examined: ProfileDocument
}

/** Throws SpecError (FileUnreadable, YamlInvalid, NoProfile, ScriptsTwice, ScriptNotText, SignaturesTwice, SignaturesInvalid). */
export async function readProfileFolder(folder: string): Promise<ProfileFolder> {
  const file = join(folder, 'profile.yaml')
  const [document, ...others] = parseYaml(file, await readText(file))
  const described = Described.safeParse(document && toPlain(file, document))
  if (document === undefined || others.length > 0 || !described.success) {
    throw unusable(file, 'NoProfile', 'it is no SSHJoinProfile, write one without its scripts')
  }
  const { data } = described
  if ('scripts' in data.spec) {
    throw unusable(file, 'ScriptsTwice', 'spec.scripts is there, scripts are the .sh files beside it')
  }
  const signatures = await readSignatures(folder)
  if (signatures !== undefined && ('signatures' in data.spec || 'manifests' in data.spec)) {
    throw unusable(
      file,
      'SignaturesTwice',
      'spec has signatures, and so has signatures.yaml: keep that alone',
    )
  }
  const manifest = assembleManifest(data, { ...data.spec, ...signatures }, await readScripts(folder))
  const places = placesOf(folder, placesIn(file, document))
  const examined = examineProfile(folder, withParameters(manifest), places)
  if (signatures === undefined) return { manifest, examined }
  return {
    manifest,
    examined: { ...examined, findings: [...examined.findings, ...staleFindings(folder, examined)] },
  }
}

function staleFindings(folder: string, { name, profile }: ProfileDocument): readonly Finding[] {
  if (profile === undefined) return []
  return staleSignatures(profile).map(({ phase, message }) => ({
    file: signaturesFile(folder),
    line: 1,
    profile: name,
    severity: 'error',
    reason: 'SignatureStale',
    message: `${phase} is not signed as it is now, ${message}`,
    fix: 'Sign the profile again with kpssh profile sign, or remove the file.',
  }))
}

type Fields = Readonly<Record<string, unknown>>

/** What must be right for anything else to be said about it; its keys stay in their order. */
const Described = z.custom<Fields & { readonly spec: Fields }>(
  (value) => isObject(value) && value['kind'] === 'SSHJoinProfile' && isObject(value['spec']),
)

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unusable(file: string, reason: string, why: string): SpecError {
  return new SpecError(`Cannot use "${file}": ${why}`, { reason })
}

/** Who keeps a profile as a folder says which vars its scripts read: none, where nothing is said. */
function withParameters({ spec, ...rest }: ProfileManifest): unknown {
  return { ...rest, spec: { parameters: [], ...spec } }
}

function placesOf(folder: string, described: Places): Places {
  const file = (phase: ScriptPhase) => join(folder, `${phase}.sh`)
  const script: Places['script'] = (phase, line) => ({ file: file(phase), line: Math.max(line, 1) })
  return {
    script,
    field(path) {
      const phase = path[1] === 'scripts' ? scriptPhases.find((each) => each === path[2]) : undefined
      if (phase !== undefined) return script(phase, 1)
      return described.field(path)
    },
  }
}

async function readScripts(folder: string): Promise<Scripts> {
  const names = new Set(await readdir(folder))
  const present = scriptPhases.filter((phase) => names.has(`${phase}.sh`))
  const read = present.map(async (phase) => [phase, await readScript(join(folder, `${phase}.sh`))] as const)
  return Object.fromEntries(await Promise.all(read))
}

async function readScript(file: string): Promise<string> {
  const bytes = await readBytes(file)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw unusable(file, 'ScriptNotText', 'it is not UTF-8, save it as such')
  }
}
