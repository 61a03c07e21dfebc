// A profile as authors keep it: profile.yaml, and beside it a file for each script.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SpecError } from '../errors/spec-error.ts'
import { scriptPhases, type ScriptPhase } from '../profile/script-phase.ts'
import { examineProfile, type Places, type ProfileDocument } from './examine-profile.ts'
import { readBytes, readText } from './read-input.ts'
import { parseYaml, placesIn, toPlain } from './yaml-document.ts'

export type Scripts = Readonly<Partial<Record<ScriptPhase, string>>>

export interface ProfileFolder {
  /** What profile.yaml says, without scripts. */
  readonly described: unknown
  /** Every byte of the files, those that are there. */
  readonly scripts: Scripts
  readonly examined: ProfileDocument
}

/** Throws SpecError (FileUnreadable, YamlInvalid, NoProfile, ScriptNotText). */
export async function readProfileFolder(folder: string): Promise<ProfileFolder> {
  const file = join(folder, 'profile.yaml')
  const [document, ...others] = parseYaml(file, await readText(file))
  const described = document && toPlain(file, document)
  if (!isObject(described) || described['kind'] !== 'SSHJoinProfile' || others.length > 0) {
    const reason = 'NoProfile'
    throw new SpecError(`Cannot use "${file}": it is no SSHJoinProfile, write one without its scripts`, {
      reason,
    })
  }
  const spec = isObject(described['spec']) ? described['spec'] : {}
  if ('scripts' in spec) {
    const reason = 'ScriptsTwice'
    throw new SpecError(`Cannot use "${file}": spec.scripts is there, scripts are the .sh files beside it`, {
      reason,
    })
  }
  const scripts = await readScripts(folder)
  const places = document === undefined ? undefined : placesIn(file, document)
  const whole = { ...described, spec: { ...spec, scripts } }
  return { described, scripts, examined: examineProfile(folder, whole, placesOf(folder, places)) }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function placesOf(folder: string, described: Places | undefined): Places {
  const file = (phase: ScriptPhase) => join(folder, `${phase}.sh`)
  const script: Places['script'] = (phase, line) => ({ file: file(phase), line: Math.max(line, 1) })
  return {
    script,
    field(path) {
      const phase = path[1] === 'scripts' ? scriptPhases.find((each) => each === path[2]) : undefined
      if (phase !== undefined) return script(phase, 1)
      return described?.field(path) ?? { file: join(folder, 'profile.yaml'), line: 1 }
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
    throw new SpecError(`Cannot use "${file}": it is not UTF-8, save it as such`, { reason: 'ScriptNotText' })
  }
}
