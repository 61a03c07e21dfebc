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

/** The best first; empty if there is none at all. Throws SpecError for a timeout that cannot be read. */
export function leaveScripts(
  record: HostRecord,
  live: SSHJoinProfile | undefined,
  recipe: LeaveRecipe | undefined,
): readonly LeaveScript[] {
  const kept = recipe === undefined ? [] : [ofRecipe(recipe)]
  if (live === undefined) return kept
  return profileMarker(live) === record.installed
    ? [ofProfile('installed-version', live), ...kept]
    : [...kept, ofProfile('other-version', live)]
}

function ofProfile(source: LeaveScript['source'], profile: SSHJoinProfile): LeaveScript {
  return { source, profile, timeoutMs: timeoutMs(profile, 'leave') }
}

function ofRecipe(recipe: LeaveRecipe): LeaveScript {
  const { profile: name, version, script, signature, manifest, timeoutMs: recipeTimeoutMs } = recipe
  const profile = {
    metadata: { name },
    spec: {
      version,
      scripts: { leave: script },
      signatures: { leave: signature },
      manifests: { leave: manifest },
      agentUnits: recipe.agentUnits,
    },
  }
  return { source: 'recipe', profile, timeoutMs: recipeTimeoutMs }
}

/** What is stored at a join, so that no later change of the profile can strand the host. Named by the digest of all of it. */
export function leaveRecipeOf(profile: SSHJoinProfile, digest: (text: string) => string): LeaveRecipe {
  const { metadata, spec } = profile
  const { leave } = spec.scripts
  const signature = spec.signatures?.leave
  const manifest = spec.manifests?.leave
  const signed = [signature, manifest?.manifest, manifest?.signature].filter((part) => part !== undefined)
  return {
    digest: digest(signed.length === 0 ? leave : JSON.stringify([leave, ...signed])),
    profile: metadata.name,
    version: spec.version,
    script: leave,
    ...(signature === undefined ? {} : { signature }),
    ...(manifest === undefined ? {} : { manifest }),
    timeoutMs: timeoutMs(profile, 'leave'),
    agentUnits: agentUnits(profile),
  }
}
