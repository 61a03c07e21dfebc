// The vars of a node class against what the profile declares of them. A profile that declares nothing takes everything.
import { SpecError } from '../errors/spec-error.ts'
import type { Parameter, Profile } from './profile.ts'
import { parsePattern } from './pattern.ts'

export type Vars = Readonly<Record<string, string>>

/** Something about a declaration, or about a var that a node class passes. */
export interface ParameterProblem {
  /** `spec.parameters[2].default` of a profile, `vars.k8sMinor` of a node class. */
  readonly field: string
  /** What the field does or is, to be read right after it. */
  readonly message: string
}

type ProfileWithParameters = Pick<Profile, 'metadata'> & {
  readonly spec: Pick<Profile['spec'], 'parameters'>
}

/** What scripts see: what the node class passes, and the defaults of what it does not pass. */
export function effectiveVars({ spec }: ProfileWithParameters, vars: Vars = {}): Vars {
  const defaults = (spec.parameters ?? []).flatMap(({ name, default: value }) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return { ...Object.fromEntries(defaults), ...vars }
}

/** Declarations that nothing could satisfy, or that contradict themselves. */
export function parameterProblems({ spec }: ProfileWithParameters): readonly ParameterProblem[] {
  const names = new Set<string>()
  return (spec.parameters ?? []).flatMap((parameter, index) => {
    const field = `spec.parameters[${index}]`
    const isSecond = names.has(parameter.name)
    names.add(parameter.name)
    return [
      ...(isSecond ? [{ field: `${field}.name`, message: `"${parameter.name}" is there twice` }] : []),
      ...declarationProblems(parameter, field),
    ]
  })
}

function declarationProblems(parameter: Parameter, field: string): readonly ParameterProblem[] {
  const pattern = parsePattern(parameter.pattern ?? '')
  if (pattern.kind === 'invalid') {
    return [
      {
        field: `${field}.pattern`,
        message: `of "${parameter.name}" cannot be used, ${pattern.message}`,
      },
    ]
  }
  const misfit = parameter.default === undefined ? undefined : misfitOf(parameter, parameter.default)
  if (misfit === undefined) return []
  return [{ field: `${field}.default`, message: `of "${parameter.name}" ${misfit}` }]
}

/** Vars that are missing, or are not what the profile declares. */
export function varProblems({ spec }: ProfileWithParameters, vars: Vars = {}): readonly ParameterProblem[] {
  return (spec.parameters ?? []).flatMap((parameter) => {
    const field = `vars.${parameter.name}`
    const value = Object.hasOwn(vars, parameter.name) ? vars[parameter.name] : undefined
    if (value === undefined) {
      return parameter.default === undefined ? [{ field, message: 'is missing and has no default' }] : []
    }
    const misfit = misfitOf(parameter, value)
    return misfit === undefined ? [] : [{ field, message: misfit }]
  })
}

/** Names of vars that no script of the profile is said to read: misspelled, as a rule. */
export function undeclaredVars({ spec }: ProfileWithParameters, vars: Vars = {}): readonly string[] {
  const declared = spec.parameters ?? []
  if (declared.length === 0) return []
  return Object.keys(vars)
    .filter((name) => !declared.some((parameter) => parameter.name === name))
    .sort()
}

/** Throws SpecError (ProfileVarsInvalid) with everything that is wrong. */
export function requireValidVars(profile: ProfileWithParameters, vars: Vars | undefined): void {
  const problems = varProblems(profile, vars)
  if (problems.length === 0) return
  throw new SpecError(`Cannot use profile "${profile.metadata.name}": ${problemsText(problems)}`, {
    reason: 'ProfileVarsInvalid',
  })
}

export function problemsText(problems: readonly ParameterProblem[]): string {
  return problems.map(({ field, message }) => `${field} ${message}`).join('; ')
}

/** Values are not quoted: who puts a secret into a var must not find it in a condition. */
function misfitOf({ type, pattern }: Parameter, value: string): string | undefined {
  if (type === 'Integer' && !/^-?(?:0|[1-9][0-9]*)$/.test(value)) {
    return 'is no Integer, write decimal digits without leading zeros'
  }
  if (type === 'Boolean' && value !== 'true' && value !== 'false') return 'is no Boolean, write true or false'
  if (pattern === undefined) return undefined
  const parsed = parsePattern(pattern)
  if (parsed.kind === 'invalid' || parsed.matches(value)) return undefined
  return `does not match ${pattern}`
}
