// What a host is given to run. One that runs anything gets the rendered script; one in mode Verified gets what was signed, byte
// for byte, after the checks that it will make itself: a profile that is at fault must not touch a host.
import { SpecError } from '../errors/spec-error.ts'
import type { SignedScript } from '../execution/ports.ts'
import type { JoinContext } from '../profile/join-context.ts'
import { checkSigned } from '../profile/manifest/check-signed.ts'
import { parseManifest } from '../profile/manifest/manifest.ts'
import { identityOf, profileMarker, timeoutMs, type Profile } from '../profile/profile.ts'
import type { Environment } from '../profile/raw-preamble.ts'
import { renderPhase, verbatimPhase, type RenderedPhase } from '../profile/render-phase.ts'
import type { ScriptPhase } from '../profile/script-phase.ts'

export interface PhaseQuestion {
  readonly profile: Profile
  readonly phase: ScriptPhase
  readonly context: JoinContext
  readonly nowMs: number
  /** How long a run may take that ends with its connection. */
  readonly attachedMs: number
}

export type PreparedPhase = RenderedPhase & { readonly signed?: SignedScript }

/** What a host record says of how its host takes scripts. */
export interface Recipient {
  readonly key: { readonly name: string }
  readonly verified?: { readonly trustedSigners: readonly string[] } | undefined
  readonly envelope?: number | undefined
}

/** Throws SpecError. */
export function preparePhase(
  { key, verified, envelope }: Recipient,
  { profile, phase, context, nowMs, attachedMs }: PhaseQuestion,
): PreparedPhase {
  if (verified === undefined) return renderPhase(profile, phase, context)
  const signed = signedFor(profile, phase, envelope)
  const prepared = withListedSecrets(verbatimPhase(profile, phase, context), signed)
  const fault = objectionTo({ key, verified, envelope }, { profile, phase, nowMs, attachedMs, ...prepared })
  if (fault !== undefined) throw fault
  return { ...prepared, signed }
}

export interface SigningQuestion extends Omit<PhaseQuestion, 'context'> {
  readonly script: string
  /** As far as it is known. */
  readonly environment: Environment
  /** The manifest was found right before: who has signed it is all that is asked. */
  readonly isManifestKnown?: boolean
}

/** Why a host in mode Verified cannot be given this phase; undefined if it can. */
export function objectionTo(
  {
    key,
    verified,
    envelope,
  }: Recipient & { readonly verified: { readonly trustedSigners: readonly string[] } },
  { profile, phase, attachedMs, ...run }: SigningQuestion,
): SpecError | undefined {
  const signed = signedFor(profile, phase, envelope)
  if (envelope === 1 && signed.manifest !== undefined) return shimTooOld(profile, phase, key.name)
  const { trustedSigners } = verified
  const verdict = checkSigned({ ...identityOf(profile), ...run, phase, ...signed, trustedSigners })
  if (verdict.kind === 'refused') return new SpecError(verdict.message, { reason: verdict.reason })
  return isAttached(signed) && timeoutMs(profile, phase) > attachedMs
    ? tooLong(profile, phase, attachedMs)
    : undefined
}

/** A join Secret may hold more than the scripts of one profile read: the rest is nobody's to be told. */
function withListedSecrets(prepared: RenderedPhase, { manifest }: SignedScript): RenderedPhase {
  const parsed = manifest && parseManifest(manifest.manifest)
  if (parsed?.kind !== 'manifest') return prepared
  const listed = new Set(parsed.manifest.params.map(({ name }) => name))
  const told = Object.entries(prepared.environment).filter(
    ([name]) => listed.has(name) || !name.startsWith('KPSSH_SECRET_'),
  )
  return { ...prepared, environment: Object.fromEntries(told) }
}

/** By the first version of the envelope a script runs as long as somebody stays connected, and no longer. */
export function isAttached(signed: SignedScript | undefined): boolean {
  return signed !== undefined && signed.manifest === undefined
}

function tooLong(profile: Profile, phase: ScriptPhase, attachedMs: number): SpecError {
  return new SpecError(
    `Cannot ${phase} by profile "${profileMarker(profile)}": it may take ${seconds(timeoutMs(profile, phase))} s, a run without a manifest has ${seconds(attachedMs)} s, lower timeouts.${phase} or sign a manifest (kpssh profile sign)`,
    { reason: 'RunTooLong' },
  )
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

function shimTooOld({ metadata }: Profile, phase: ScriptPhase, host: string): SpecError {
  return new SpecError(
    `Cannot ${phase} on host "${host}": its shim reads envelope version 1 alone and profile "${metadata.name}" has no signatures.${phase} for it, sign the scripts too (kpssh profile sign --v1) or renew the shim (kpssh host prepare --verified)`,
    { reason: 'ShimTooOld' },
  )
}

/** A manifest where there is one; a bare signature for a host whose shim knows nothing else. */
export function signedFor({ spec }: Profile, phase: ScriptPhase, envelope: number | undefined): SignedScript {
  const signature = spec.signatures?.[phase]
  const manifest = spec.manifests?.[phase]
  if (manifest !== undefined && !(envelope === 1 && signature !== undefined)) return { manifest }
  return signature === undefined ? {} : { signature }
}
