// Whether the hosts of a node class in mode Verified could run its profile, asked before any of them is claimed: what is missing
// would otherwise be found launch by launch.
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import { verifiedOf } from '../hosts/verified-of.ts'
import { longestAttachedMs } from '../phase/budgets.ts'
import { objectionTo } from '../phase/prepare-phase.ts'
import { varVariables } from '../profile/environment.ts'
import { effectiveVars, type Vars } from '../profile/parameters.ts'

const phases = ['install', 'join', 'leave'] as const

export interface SigningCircumstances {
  readonly vars: Vars | undefined
  readonly nowMs: number
  /** The newest envelope that the shim of a host reads, once that is known. */
  readonly envelopeOf: (sshHost: SSHHost) => number | undefined
}

/** The first reason why not, with the host it was found at. What the vars are is known already, what the rest is is not. */
export function signingFault(
  profile: SSHJoinProfile,
  sshHosts: readonly SSHHost[],
  { vars, nowMs, envelopeOf }: SigningCircumstances,
): string | undefined {
  const environment = varVariables(effectiveVars(profile, vars))
  const isKnown = new Set<string>()
  for (const { trustedSigners, envelope, hosts } of alike(sshHosts, envelopeOf)) {
    const recipient = { key: { name: hosts[0] ?? '' }, verified: { trustedSigners }, envelope }
    for (const phase of phases) {
      const asked = `${phase} ${String(envelope)}`
      const fault = objectionTo(recipient, {
        profile,
        phase,
        script: profile.spec.scripts[phase],
        environment: phase === 'leave' ? {} : environment,
        nowMs,
        attachedMs: longestAttachedMs,
        isManifestKnown: isKnown.has(asked),
      })
      if (fault !== undefined) return `${namesOf(hosts)} could not run ${phase}: ${fault.message}`
      isKnown.add(asked)
    }
  }
  return undefined
}

interface Alike {
  readonly trustedSigners: readonly string[]
  readonly envelope: number | undefined
  readonly hosts: readonly string[]
}

/** Most hosts trust the same signers: what is checked for one is checked for all of them. One that is leaving for good is none. */
function alike(
  sshHosts: readonly SSHHost[],
  envelopeOf: SigningCircumstances['envelopeOf'],
): readonly Alike[] {
  const groups = new Map<string, Alike & { readonly hosts: string[] }>()
  for (const sshHost of sshHosts) {
    const { spec, metadata } = sshHost
    const trustedSigners = verifiedOf(spec)?.trustedSigners
    if (trustedSigners === undefined || metadata.deletionTimestamp !== undefined) continue
    const envelope = envelopeOf(sshHost)
    const key = JSON.stringify([envelope ?? 0, trustedSigners])
    const group = groups.get(key) ?? { trustedSigners, envelope, hosts: [] }
    group.hosts.push(metadata.name)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function namesOf([first = '', ...others]: readonly string[]): string {
  const rest = others.length === 0 ? '' : ` and ${others.length} more`
  return `SSHHost "${first}"${rest}`
}
