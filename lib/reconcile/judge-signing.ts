// Whether the hosts of a node class in mode Verified could run its profile, asked before any of them is claimed: what is missing
// would otherwise be found launch by launch.
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import { verifiedOf } from '../hosts/verified-of.ts'
import { varVariables } from '../profile/environment.ts'
import { checkSigned } from '../profile/manifest/check-signed.ts'
import { effectiveVars, type Vars } from '../profile/parameters.ts'
import { identityOf } from '../profile/profile.ts'

const phases = ['install', 'join', 'leave'] as const

/** The first reason why not, with the host it was found at. What the vars are is known already, what the rest is is not. */
export function signingFault(
  profile: SSHJoinProfile,
  sshHosts: readonly SSHHost[],
  { vars, nowMs }: { readonly vars: Vars | undefined; readonly nowMs: number },
): string | undefined {
  const environment = varVariables(effectiveVars(profile, vars))
  for (const { signers: trustedSigners, hosts } of bySigners(sshHosts)) {
    for (const phase of phases) {
      const signature = profile.spec.signatures?.[phase]
      const manifest = profile.spec.manifests?.[phase]
      const verdict = checkSigned({
        ...identityOf(profile),
        phase,
        script: profile.spec.scripts[phase],
        ...(manifest === undefined ? { signature } : { manifest }),
        trustedSigners,
        environment: phase === 'leave' ? {} : environment,
        nowMs,
      })
      if (verdict.kind === 'refused') return `${namesOf(hosts)} could not run ${phase}: ${verdict.message}`
    }
  }
  return undefined
}

interface Trusting {
  readonly signers: readonly string[]
  readonly hosts: readonly string[]
}

/** Most hosts trust the same signers: what is checked for one is checked for all of them. */
function bySigners(sshHosts: readonly SSHHost[]): readonly Trusting[] {
  const groups = new Map<string, { signers: readonly string[]; hosts: string[] }>()
  for (const { spec, metadata } of sshHosts) {
    const signers = verifiedOf(spec)?.trustedSigners
    if (signers === undefined) continue
    const key = JSON.stringify(signers)
    const group = groups.get(key) ?? { signers, hosts: [] }
    group.hosts.push(metadata.name)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function namesOf([first = '', ...others]: readonly string[]): string {
  const rest = others.length === 0 ? '' : ` and ${others.length} more`
  return `SSHHost "${first}"${rest}`
}
