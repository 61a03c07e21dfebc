// Everything that a leave is decided from. No NodeClaim, no node class and no join secret: a leave must work when they are gone.
import type { Secret } from '../api/secret.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { LeaveRecipe, LeaveRecipes } from '../hosts/ports.ts'
import type { KubernetesReader } from '../kubernetes/ports.ts'
import { secrets, sshJoinProfiles } from '../kubernetes/resources.ts'

export interface LeaveView {
  /** The profile of the installed name as it is now, whatever its version. */
  readonly profile: SSHJoinProfile | undefined
  /** The leave script as it was at the last join. */
  readonly recipe: LeaveRecipe | undefined
  readonly sshKey: Secret | undefined
}

export async function lookAtLeave(
  kubernetes: KubernetesReader,
  recipes: LeaveRecipes,
  record: HostRecord,
): Promise<LeaveView> {
  const profileName = installedProfileName(record)
  const [profile, recipe, sshKey] = await Promise.all([
    profileName === undefined ? undefined : kubernetes.get(sshJoinProfiles, profileName),
    record.leaveRecipe === undefined ? undefined : recipes.get(record.leaveRecipe),
    kubernetes.get(secrets, record.sshKeySecret, record.key.namespace),
  ])
  return { profile, recipe, sshKey }
}

/** A profile's name has no `@`. */
export function installedProfileName({ installed }: HostRecord): string | undefined {
  return installed?.split('@', 1)[0]
}
