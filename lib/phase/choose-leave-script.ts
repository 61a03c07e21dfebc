// Which script lets a host leave. What installed the host is still there: its own leave. It was changed or deleted since: the
// recipe, as it was when the host joined. Neither is known (the table was lost): whatever leave that profile has now.
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { LeaveRecipe } from '../hosts/ports.ts'
import { agentUnits, profileMarker, timeoutMs, type Profile } from '../profile/profile.ts'

export interface LeaveScript {
  readonly source: 'installed-version' | 'recipe' | 'other-version'
  readonly profile: Profile
  readonly timeoutMs: number
}

/** undefined if there is none at all. Throws SpecError for a timeout that cannot be read. */
export function chooseLeaveScript(
  record: HostRecord,
  live: SSHJoinProfile | undefined,
  recipe: LeaveRecipe | undefined,
): LeaveScript | undefined {
  if (live !== undefined && profileMarker(live) === record.installed)
    return ofProfile('installed-version', live)
  if (recipe !== undefined) return ofRecipe(recipe)
  return live === undefined ? undefined : ofProfile('other-version', live)
}

function ofProfile(source: LeaveScript['source'], profile: SSHJoinProfile): LeaveScript {
  return { source, profile, timeoutMs: timeoutMs(profile, 'leave') }
}

function ofRecipe(recipe: LeaveRecipe): LeaveScript {
  const { profile: name, version, script, timeoutMs: recipeTimeoutMs } = recipe
  const profile = {
    metadata: { name },
    spec: { version, scripts: { leave: script }, agentUnits: recipe.agentUnits },
  }
  return { source: 'recipe', profile, timeoutMs: recipeTimeoutMs }
}

/** What is stored at a join, so that no later change of the profile can strand the host. `digest` is the script's sha256. */
export function leaveRecipeOf(profile: SSHJoinProfile, digest: (text: string) => string): LeaveRecipe {
  const { metadata, spec } = profile
  const { leave } = spec.scripts
  const signature = spec.signatures?.leave
  return {
    digest: digest(leave),
    profile: metadata.name,
    version: spec.version,
    script: leave,
    ...(signature === undefined ? {} : { signature }),
    timeoutMs: timeoutMs(profile, 'leave'),
    agentUnits: agentUnits(profile),
  }
}
