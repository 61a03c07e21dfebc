// Profiles from YAML or JSON files, several documents in one file, with the lines of the file for what is wrong in them.
import { isScalar, LineCounter, parseAllDocuments, type Document } from 'yaml'
import { z } from 'zod'
import { SSHJoinProfileManifest } from '../api/ssh-join-profile.ts'
import { SpecError } from '../errors/spec-error.ts'
import { lintProfile } from '../profile/lint-profile.ts'
import { isError, type Problem } from '../profile/problem.ts'
import type { Profile } from '../profile/profile.ts'
import type { ScriptPhase } from '../profile/script-phase.ts'
import { readText } from './read-input.ts'

/** Something about a file, in a form that editors and programs read. */
export interface Finding {
  readonly file: string
  /** Of the file, from 1. */
  readonly line: number
  readonly profile: string
  readonly severity: Problem['severity']
  readonly reason: string
  readonly message: string
  /** Where it is about a script: its phase, and its own line (0 for none). */
  readonly phase?: ScriptPhase
  readonly scriptLine?: number
}

export interface ProfileDocument {
  readonly file: string
  /** undefined where the document is no valid manifest: `findings` say why. */
  readonly profile: (Profile & { readonly metadata: { readonly name: string } }) | undefined
  readonly name: string
  readonly findings: readonly Finding[]
}

/** As much of a profile as there is: what is missing is for validation to say. */
const Draft = z.object({
  metadata: z.object({ name: z.string().catch('') }).catch({ name: '' }),
  spec: z
    .object({
      version: z.string().optional().catch(undefined),
      scripts: z.record(z.string(), z.string().catch('')).catch({}),
      timeouts: z.record(z.string(), z.string()).optional().catch(undefined),
    })
    .catch({ scripts: {} }),
})

/** Throws SpecError (FileUnreadable, YamlInvalid, NoProfile). */
export async function readProfiles(file: string): Promise<readonly ProfileDocument[]> {
  const lines = new LineCounter()
  const documents = [...parseAllDocuments(await readText(file), { lineCounter: lines })]
  for (const { errors } of documents) {
    const [error] = errors
    if (error === undefined) continue
    throw new SpecError(
      `Cannot read "${file}": line ${lines.linePos(error.pos[0]).line} is not valid YAML, correct it`,
      {
        reason: 'YamlInvalid',
      },
    )
  }
  const profiles = documents.filter((document) => document.get('kind') === 'SSHJoinProfile')
  if (profiles.length > 0) return profiles.map((document) => examine(file, document, lines))
  throw new SpecError(`Cannot use "${file}": it holds no SSHJoinProfile, give the file of a profile`, {
    reason: 'NoProfile',
  })
}

function examine(file: string, document: Document, lines: LineCounter): ProfileDocument {
  const value = toPlain(file, document)
  const draft = Draft.parse(value)
  const { name } = draft.metadata
  const parsed = SSHJoinProfileManifest.safeParse(value)
  const place = { file, profile: name, document, lines }
  const problems = lintProfile(draft)
  const findings = [
    ...(parsed.success ? [] : schemaFindings(parsed.error, problems, place)),
    ...problems.map((problem) => findingOf(problem, place)),
  ]
  return {
    file,
    name,
    profile: parsed.success ? parsed.data : undefined,
    findings: findings.sort((a, b) => a.line - b.line),
  }
}

/** Aliases that multiply without end are refused by the parser. */
function toPlain(file: string, document: Document): unknown {
  try {
    return document.toJS()
  } catch {
    throw new SpecError(`Cannot read "${file}": its YAML aliases do not resolve, write the values out`, {
      reason: 'YamlInvalid',
    })
  }
}

interface Place {
  readonly file: string
  readonly profile: string
  readonly document: Document
  readonly lines: LineCounter
}

/** What the schema finds and validation, which says it better, does not. */
function schemaFindings(error: z.ZodError, problems: readonly Problem[], place: Place): readonly Finding[] {
  const told = new Set(problems.filter(isError).map(({ phase }) => phase as string))
  return error.issues
    .filter(({ path }) => !((path[1] === 'scripts' || path[1] === 'timeouts') && told.has(String(path[2]))))
    .map(({ path, message }) => ({
      file: place.file,
      line: lineOf(place, path),
      profile: place.profile,
      severity: 'error',
      reason: 'SchemaInvalid',
      message: `${path.join('.') || 'the document'}: ${message}`,
    }))
}

function findingOf({ severity, phase, line, reason, message }: Problem, place: Place): Finding {
  const { file, profile } = place
  const isTimeout = reason.startsWith('Timeout')
  const fileLine = isTimeout ? lineOf(place, ['spec', 'timeouts', phase]) : scriptLine(place, phase, line)
  return { file, line: fileLine, profile, severity, reason, message, phase, scriptLine: line }
}

/** A block scalar keeps its lines: those of the script follow the line with the `|`. */
function scriptLine(place: Place, phase: ScriptPhase, line: number): number {
  const path = ['spec', 'scripts', phase]
  const start = lineOf(place, path)
  const node = place.document.getIn(path, true)
  return isScalar(node) && node.type === 'BLOCK_LITERAL' && line > 0 ? start + line : start
}

/** The line of the nearest thing on the path that is there. */
function lineOf(place: Place, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? place.document.contents : place.document.getIn(path.slice(0, length), true)
    const range = rangeOf(node)
    if (range !== undefined) return place.lines.linePos(range).line
  }
  return 1
}

const Ranged = z.object({ range: z.tuple([z.number()]).rest(z.number()) })

function rangeOf(node: unknown): number | undefined {
  const parsed = Ranged.safeParse(node)
  return parsed.success ? parsed.data.range[0] : undefined
}

/** The one profile of a file, or the one of that name. Throws SpecError. */
export async function readProfile(file: string, name: string | undefined): Promise<Profile> {
  const documents = await readProfiles(file)
  const wanted = documents.filter((document) => name === undefined || document.name === name)
  const [document] = wanted
  if (document === undefined || wanted.length > 1) {
    const names = documents.map((candidate) => candidate.name).join(', ')
    const state = document === undefined ? `no "${name ?? ''}"` : 'several profiles'
    throw new SpecError(
      `Cannot choose a profile of "${file}": it holds ${state}, choose one of ${names} with --name`,
      { reason: 'ProfileAmbiguous' },
    )
  }
  if (document.profile !== undefined) return document.profile
  const [finding] = document.findings.filter(({ severity }) => severity === 'error')
  throw new SpecError(
    `Cannot use "${file}": line ${finding?.line ?? 1}, ${finding?.message ?? 'the manifest is invalid'}, kpssh profile lint tells everything`,
    { reason: 'ProfileInvalid' },
  )
}
