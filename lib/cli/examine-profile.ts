// What is wrong with a profile, and where an editor finds it: in a file of YAML or JSON, or in the files of a folder.
import { z } from 'zod'
import { ProfileParameter, SSHJoinProfileManifest } from '../api/ssh-join-profile.ts'
import { lintProfile } from '../profile/lint-profile.ts'
import { parameterProblems } from '../profile/parameters.ts'
import { isError, type Problem } from '../profile/problem.ts'
import type { Profile } from '../profile/profile.ts'
import type { ScriptPhase } from '../profile/script-phase.ts'

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
  /** Of a rule: why it matters, and what to write instead. */
  readonly explanation?: string
  readonly fix?: string
}

export interface ProfileDocument {
  readonly file: string
  /** undefined where the document is no valid manifest: `findings` say why. */
  readonly profile: Profile | undefined
  readonly name: string
  readonly findings: readonly Finding[]
}

export interface Place {
  readonly file: string
  readonly line: number
}

/** Where things are written. */
export interface Places {
  /** The nearest thing on the path that is there. */
  field(path: readonly PropertyKey[]): Place
  /** A line of a script; its beginning for 0. */
  script(phase: ScriptPhase, line: number): Place
}

/** As much of a profile as there is: what is missing is for validation to say. */
const Draft = z.object({
  metadata: z.object({ name: z.string().catch('') }).catch({ name: '' }),
  spec: z
    .object({
      version: z.string().optional().catch(undefined),
      scripts: z.record(z.string(), z.string().catch('')).catch({}),
      timeouts: z.record(z.string(), z.string()).optional().catch(undefined),
      agentUnits: z.array(z.string()).optional().catch(undefined),
      parameters: z.array(ProfileParameter).optional().catch(undefined),
    })
    .catch({ scripts: {} }),
})

export function examineProfile(file: string, value: unknown, places: Places): ProfileDocument {
  const draft = Draft.parse(value)
  const { name } = draft.metadata
  const parsed = SSHJoinProfileManifest.safeParse(value)
  const problems = lintProfile(draft).filter(
    ({ reason }) => reason !== 'ScriptMissing' || parsed.success || hasScripts(parsed.error),
  )
  const findings = [
    ...(parsed.success
      ? unknownFields(specOf(value), parsed.data.spec, ['spec'])
      : schemaFaults(parsed.error, problems)
    ).map((fault) => faultFinding(name, fault, places)),
    ...parameterFaults(draft).map((fault) => faultFinding(name, fault, places)),
    ...problems.map((problem) => problemFinding(name, problem, places)),
  ]
  return {
    file,
    name,
    profile: parsed.success ? parsed.data : undefined,
    findings: findings.sort((a, b) => (a.file === b.file ? a.line - b.line : 0)),
  }
}

/** Where there is no map of scripts at all, that none of them is there goes without saying. */
function hasScripts(error: z.ZodError): boolean {
  return !error.issues.some(({ path }) => ['', 'spec', 'spec.scripts'].includes(fieldName(path)))
}

interface Fault {
  readonly path: readonly PropertyKey[]
  readonly reason: 'SchemaInvalid' | 'FieldUnknown' | 'ParameterInvalid'
  readonly message: string
}

/** What the schema finds and validation, which says it better, does not. */
function schemaFaults(error: z.ZodError, problems: readonly Problem[]): readonly Fault[] {
  const told = new Set(problems.filter(isError).map(({ phase }) => phase as string))
  return error.issues
    .filter(({ path }) => !((path[1] === 'scripts' || path[1] === 'timeouts') && told.has(String(path[2]))))
    .map(({ path, message }) => ({
      path,
      reason: 'SchemaInvalid',
      message: `${fieldName(path) || 'the document'}: ${message}`,
    }))
}

/** metadata and status come from a cluster, with whatever it adds to them. */
function specOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'spec' in value ? value.spec : undefined
}

/** A cluster drops what it does not know without a word: as a rule it is misspelled. */
function unknownFields(value: unknown, known: unknown, path: readonly PropertyKey[]): readonly Fault[] {
  if (typeof value !== 'object' || value === null || typeof known !== 'object' || known === null) return []
  const kept = new Map<string, unknown>(Object.entries(known))
  return Object.entries(value).flatMap(([key, inner]) => {
    const inside = [...path, Array.isArray(value) ? Number(key) : key]
    if (kept.has(key)) return unknownFields(inner, kept.get(key), inside)
    const message = `${fieldName(inside)}: there is no such field, correct its name or leave it out`
    return [{ path: inside, reason: 'FieldUnknown', message } as const]
  })
}

function parameterFaults(draft: z.infer<typeof Draft>): readonly Fault[] {
  return parameterProblems(draft).map(({ field, message }) => ({
    path: field.split(/[.[\]]+/).map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    reason: 'ParameterInvalid',
    message: `${field} ${message}`,
  }))
}

/** `spec.parameters[0].name`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
}

function faultFinding(profile: string, { path, reason, message }: Fault, places: Places): Finding {
  const severity = reason === 'FieldUnknown' ? 'warning' : 'error'
  return { ...places.field(path), profile, severity, reason, message }
}

function problemFinding(profile: string, problem: Problem, places: Places): Finding {
  const { severity, phase, line, reason, message, advice } = problem
  if (reason.startsWith('Timeout')) {
    const path = ['spec', 'timeouts', phase]
    return { ...places.field(path), profile, severity, reason, message: `${fieldName(path)}: ${message}` }
  }
  const place = places.script(phase, line)
  return { ...place, profile, severity, reason, message, phase, scriptLine: line, ...advice }
}
