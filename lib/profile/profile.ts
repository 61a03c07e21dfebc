// What the engine needs of an SSHJoinProfile. Objects from the API server fit as they are; so do unfinished ones that an
// author still works on, which is why nothing is required here that validation can report.
import { createHash } from 'node:crypto'
import { parseDurationMs } from '../api/duration.ts'
import { defaultAgentUnits } from '../api/names.ts'
import { effectiveVars, type Vars } from './parameters.ts'
import type { ScriptPhase } from './script-phase.ts'

export interface Profile {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly version?: string | undefined
    readonly scripts: Readonly<Partial<Record<ScriptPhase, string | undefined>>>
    readonly timeouts?: Readonly<Partial<Record<ScriptPhase, string | undefined>>> | undefined
    readonly agentUnits?: readonly string[] | undefined
    readonly parameters?: readonly Parameter[] | undefined
    /** Over the bytes of each script. */
    readonly signatures?: Readonly<Partial<Record<ScriptPhase, string | undefined>>> | undefined
    readonly manifests?: Readonly<Partial<Record<ScriptPhase, SignedManifest | undefined>>> | undefined
  }
}

/** What an offline key allows to be run, and its armored signature. */
export interface SignedManifest {
  readonly manifest: string
  readonly signature: string
}

/** A declared var. Without a default every node class must set it. */
export interface Parameter {
  readonly name: string
  /** String where it is not said. */
  readonly type?: 'String' | 'Integer' | 'Boolean' | undefined
  readonly default?: string | undefined
  readonly meaning?: string | undefined
  /** For the whole value. */
  readonly pattern?: string | undefined
}

const minuteMs = 60_000
/** For uninstall, which a person runs and watches, there is no field: it takes what install may take. */
const defaultTimeoutsMs: Readonly<Record<ScriptPhase, number>> = {
  install: 10 * minuteMs,
  join: 5 * minuteMs,
  leave: 3 * minuteMs,
  uninstall: 10 * minuteMs,
}

/** Zero or nothing means the default. Throws SpecError (DurationInvalid, DurationOverflow). */
export function timeoutMs({ spec }: Profile, phase: ScriptPhase): number {
  const text = spec.timeouts?.[phase]
  const ownMs = text === undefined ? 0 : parseDurationMs(text)
  return ownMs > 0 ? ownMs : defaultTimeoutsMs[phase]
}

/** What manifests and markers call a profile. */
export function identityOf({ metadata, spec }: Profile): {
  readonly profile: string
  readonly version: string
} {
  return { profile: metadata.name, version: spec.version || '1' }
}

/** `<profile>@<version>`: a host that carries another marker is installed again. */
export function profileMarker(named: Profile): string {
  const { profile, version } = identityOf(named)
  return `${profile}@${version}`
}

/** systemd units whose activity means that the host is a node. */
export function agentUnits({ spec }: Profile): readonly string[] {
  return spec.agentUnits !== undefined && spec.agentUnits.length > 0 ? spec.agentUnits : defaultAgentUnits
}

/** sha256 over JSON with sorted keys: whether an install would see the same vars, defaults included. */
export function varsDigest(profile: Profile, vars?: Vars): string {
  const sorted = Object.entries(effectiveVars(profile, vars)).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(sorted)))
    .digest('hex')
}
