// Whether an SSHNodeClass can be launched from, with the first reason why not, in the order that the reference checks:
// profile, its validity, the vars it gets, the selector, hosts, what those in mode Verified want signed. Secrets are not read here: reconcile may not; the probe finds bad keys.
import { makeLabelMatcher, type LabelMatcher } from '../api/label-selector.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { parameterProblems, problemsText, undeclaredVars, varProblems } from '../profile/parameters.ts'
import { isError } from '../profile/problem.ts'
import { validateProfile } from '../profile/validate-profile.ts'
import { signingFault, type SigningCircumstances } from './judge-signing.ts'

export type ClassVerdict =
  | { readonly status: 'True'; readonly reason: 'Ready'; readonly message: string }
  | {
      readonly status: 'False'
      readonly reason:
        | 'ProfileNotFound'
        | 'ProfileInvalid'
        | 'ProfileVarsInvalid'
        | 'SelectorError'
        | 'NoHosts'
        | 'ProfileNotSigned'
      readonly message: string
    }

export interface ClassSurroundings {
  readonly sshHosts: readonly SSHHost[]
  readonly nowMs: number
  readonly envelopeOf?: SigningCircumstances['envelopeOf']
}

export function judgeClass(
  nodeClass: SSHNodeClass,
  profile: SSHJoinProfile | undefined,
  { sshHosts, nowMs, envelopeOf = () => undefined }: ClassSurroundings,
): ClassVerdict {
  const profileName = nodeClass.spec.joinProfileRef.name
  if (profile === undefined)
    return refuse('ProfileNotFound', `SSHJoinProfile "${profileName}" does not exist`)
  const problems = validateProfile(profile)
  const invalid = problems.find(isError)?.message ?? declarationFault(profile)
  if (invalid !== undefined) return refuse('ProfileInvalid', `SSHJoinProfile "${profileName}": ${invalid}`)
  const misfits = varProblems(profile, nodeClass.spec.vars)
  if (misfits.length > 0)
    return refuse('ProfileVarsInvalid', `SSHJoinProfile "${profileName}": ${problemsText(misfits)}`)
  const matcher = readSelector(nodeClass)
  if (typeof matcher === 'string') return refuse('SelectorError', matcher)
  const selected = sshHosts.filter((sshHost) => matcher(sshHost.metadata.labels ?? {}))
  if (selected.length === 0) return refuse('NoHosts', 'No SSHHost matches hostSelector')
  const unsigned = signingFault(profile, selected, { vars: nodeClass.spec.vars, nowMs, envelopeOf })
  if (unsigned !== undefined) {
    return refuse('ProfileNotSigned', `SSHJoinProfile "${profileName}": ${unsigned}`)
  }
  const warnings = [...problems.map(({ message }) => message), ...strangeVars(profile, nodeClass)]
  return { status: 'True', reason: 'Ready', message: warnings.join('; ') }
}

function declarationFault(profile: SSHJoinProfile): string | undefined {
  const problems = parameterProblems(profile)
  return problems.length === 0 ? undefined : problemsText(problems)
}

/** Passed all the same: a profile may read more than it declares. */
function strangeVars(profile: SSHJoinProfile, { spec }: SSHNodeClass): readonly string[] {
  const name = profile.metadata.name
  return undeclaredVars(profile, spec.vars).map(
    (key) => `vars.${key} is not declared by SSHJoinProfile "${name}"`,
  )
}

function refuse(reason: Extract<ClassVerdict, { status: 'False' }>['reason'], message: string): ClassVerdict {
  return { status: 'False', reason, message }
}

function readSelector(nodeClass: SSHNodeClass): LabelMatcher | string {
  try {
    return selectorOf(nodeClass)
  } catch (error) {
    return error instanceof Error ? error.message : 'hostSelector cannot be read'
  }
}

/** Absent and empty select every host. Throws SpecError for an operator or value that means nothing. */
export function selectorOf(nodeClass: SSHNodeClass): LabelMatcher {
  return makeLabelMatcher(nodeClass.spec.hostSelector ?? {})
}
