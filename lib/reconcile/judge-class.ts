// Whether an SSHNodeClass can be launched from, with the first reason why not, in the order that the reference checks:
// profile, its validity, the selector, hosts. Secrets are not read here: reconcile may not; the probe finds bad keys.
import { makeLabelMatcher, type LabelMatcher } from '../api/label-selector.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { validateProfile } from '../profile/validate-profile.ts'

export type ClassVerdict =
  | { readonly status: 'True'; readonly reason: 'Ready'; readonly message: string }
  | {
      readonly status: 'False'
      readonly reason: 'ProfileNotFound' | 'ProfileInvalid' | 'SelectorError' | 'NoHosts'
      readonly message: string
    }

export function judgeClass(
  nodeClass: SSHNodeClass,
  profile: SSHJoinProfile | undefined,
  sshHosts: readonly SSHHost[],
): ClassVerdict {
  const profileName = nodeClass.spec.joinProfileRef.name
  if (profile === undefined)
    return refuse('ProfileNotFound', `SSHJoinProfile "${profileName}" does not exist`)
  const problems = validateProfile(profile)
  const error = problems.find((problem) => problem.severity === 'error')
  if (error !== undefined)
    return refuse('ProfileInvalid', `SSHJoinProfile "${profileName}": ${error.message}`)
  const matcher = readSelector(nodeClass)
  if (typeof matcher === 'string') return refuse('SelectorError', matcher)
  if (!sshHosts.some((sshHost) => matcher(sshHost.metadata.labels ?? {}))) {
    return refuse('NoHosts', 'No SSHHost matches hostSelector')
  }
  return { status: 'True', reason: 'Ready', message: problems.map(({ message }) => message).join('; ') }
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
