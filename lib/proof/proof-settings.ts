// What an author says about the proofs of a profile: proof.yaml, beside profile.yaml.
import { z } from 'zod'
import { SpecError } from '../errors/spec-error.ts'
import { JoinContext } from '../profile/join-context.ts'
import { problemsText, varProblems } from '../profile/parameters.ts'
import type { Profile } from '../profile/profile.ts'
import { defaultContext } from './default-context.ts'

const families = ['debian', 'redhat'] as const
export type Family = (typeof families)[number]

const Context = z.strictObject(
  Object.fromEntries(Object.keys(JoinContext.shape).map((key) => [key, z.unknown().optional()])),
)
const Path = z.string().regex(/^\//, 'must be an absolute path')
export const leaveMayKeep = ['containers', 'mounts', 'devices', 'processes'] as const

export const ProofSettings = z.strictObject({
  /** As for `profile render`; what is left out has a value that fits. */
  context: Context.default({}).transform((given, { issues }) => contextOf(given, issues)),
  /** On which kinds of machine the proofs are made. */
  family: z.array(z.enum(families)).min(1).default(['debian']),
  /** By command: bash that its stand-in on the machine runs first. */
  steer: z.record(z.string().regex(/^[\w.-]+$/, 'must be the name of a command'), z.string()).default({}),
  /** Bash that prepares the fresh machine. */
  machine: z.string().default(''),
  /** What leave leaves to the next reboot, by intention. */
  leaveKeeps: z.array(z.enum(leaveMayKeep)).default([]),
  /** Whether a host reboots between leave and uninstall, because leave ends no pods. */
  rebootBeforeUninstall: z.boolean().default(false),
  /** Paths that uninstall leaves, by intention; a directory with all that is in it. */
  uninstallKeeps: z.array(Path).default([]),
  /** Files whose content differs from run to run; with / at the end a directory nobody looks into. * is a part of a name. */
  volatile: z.array(Path).default([]),
})
export type ProofSettings = Readonly<z.infer<typeof ProofSettings>>

function contextOf(given: Readonly<Record<string, unknown>>, issues: z.core.$ZodRawIssue[]): JoinContext {
  const parsed = JoinContext.safeParse({ ...defaultContext, ...given })
  if (parsed.success) return parsed.data
  for (const { path, message } of parsed.error.issues) {
    issues.push({ code: 'custom', path: [...path], message, input: given })
  }
  return defaultContext
}

/** `value` is what `file` holds; undefined where there is none. Throws SpecError (ProofInvalid). */
export function parseProofSettings(file: string, value: unknown): ProofSettings {
  const parsed = ProofSettings.safeParse(value ?? {})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.map(String).join('.') ?? ''
  const what = issue?.code === 'unrecognized_keys' ? unknownKeys(issue.keys, field) : fieldFault(issue, field)
  throw new SpecError(`Cannot use "${file}": ${what}`, { reason: 'ProofInvalid', details: { field } })
}

function unknownKeys(keys: readonly string[], field: string): string {
  const known = field === 'context' ? Object.keys(JoinContext.shape) : Object.keys(ProofSettings.shape)
  const names = keys.map((key) => (field === '' ? key : `${field}.${key}`))
  return `${names.join(', ')}: there is no such key, use ${known.join(', ')}`
}

function fieldFault(issue: z.core.$ZodIssue | undefined, field: string): string {
  const key = issue?.code === 'invalid_key' ? issue.issues[0] : undefined
  const message = (key ?? issue)?.message ?? 'invalid'
  const remedy = message.endsWith('expected string, received number') ? 'put it in quotes' : 'correct it'
  return `${field || 'the document'}: ${message}, ${remedy}`
}

/** Throws SpecError (ProofVarsInvalid) where the profile needs vars that nothing says, or others. */
export function requireProvableVars(profile: Profile, { context }: ProofSettings, file: string): void {
  const vars = context.Vars ?? {}
  const declared = new Set((profile.spec.parameters ?? []).map(({ name }) => name))
  const problems = [
    ...varProblems(profile, vars),
    ...Object.keys(vars)
      .filter((name) => !declared.has(name))
      .map((name) => ({ field: `vars.${name}`, message: 'is no parameter of the profile' })),
  ]
  if (problems.length === 0) return
  throw new SpecError(
    `Cannot prove profile "${profile.metadata.name}": ${problemsText(problems)}, give values for the proofs in "${file}", below context.Vars`,
    { reason: 'ProofVarsInvalid' },
  )
}
