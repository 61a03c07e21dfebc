// A manifest that was signed against what is about to be run.
import { createHash } from 'node:crypto'
import { formatInstant } from '../../api/rfc3339.ts'
import type { Environment } from '../raw-preamble.ts'
import type { ScriptPhase } from '../script-phase.ts'
import { parseManifest, type Manifest } from './manifest.ts'
import { parsePortablePattern } from './portable-pattern.ts'

export type ManifestReason =
  | 'ManifestMalformed'
  | 'ManifestProfileMismatch'
  | 'ManifestVersionMismatch'
  | 'ManifestPhaseMismatch'
  | 'ManifestDigestMismatch'
  | 'ManifestNotYetValid'
  | 'ManifestExpired'
  | 'ParameterNotListed'
  | 'ParameterRefused'

export type CheckedManifest =
  | { readonly kind: 'ok'; readonly manifest: Manifest }
  | { readonly kind: 'refused'; readonly reason: ManifestReason; readonly message: string }

/** What a manifest is checked against. */
export interface PhaseToRun {
  readonly profile: string
  /** As the profile says it; empty counts as 1. */
  readonly version: string
  readonly phase: ScriptPhase
  readonly script: string
  /** Everything that the script would be told; absent: not known yet. */
  readonly environment?: Environment | undefined
  readonly nowMs: number
}

/** Never throws. Its signature is checked before. */
export function checkManifest(text: string, run: PhaseToRun): CheckedManifest {
  const parsed = parseManifest(text)
  if (parsed.kind === 'malformed') {
    return refused(
      'ManifestMalformed',
      `the manifest is malformed, ${parsed.message}; sign the profile again`,
    )
  }
  const { manifest } = parsed
  return (
    identityObjection(manifest, run) ??
    windowObjection(manifest, run) ??
    paramObjection(manifest, run.environment ?? {}) ?? { kind: 'ok', manifest }
  )
}

export function scriptDigest(script: string): string {
  return createHash('sha256').update(script).digest('hex')
}

function identityObjection(manifest: Manifest, run: PhaseToRun): CheckedManifest | undefined {
  const version = run.version || '1'
  if (manifest.profile !== run.profile) {
    return refused(
      'ManifestProfileMismatch',
      `the manifest is of profile "${manifest.profile}", sign this profile under its own name`,
    )
  }
  if (manifest.version !== version) {
    return refused(
      'ManifestVersionMismatch',
      `the manifest is of version "${manifest.version}", the profile has version "${version}": sign it again`,
    )
  }
  if (manifest.phase !== run.phase) {
    return refused(
      'ManifestPhaseMismatch',
      `the manifest is of phase ${manifest.phase}, put each manifest where its phase is`,
    )
  }
  if (manifest.scriptSha256 === scriptDigest(run.script)) return undefined
  return refused(
    'ManifestDigestMismatch',
    `scripts.${run.phase} was changed after the manifest was signed: sign it again, or take the change back`,
  )
}

/** A leave has no time span: a node that is older than its manifest must be able to go. */
function windowObjection(
  { notBeforeMs, notAfterMs }: Manifest,
  run: PhaseToRun,
): CheckedManifest | undefined {
  if (run.phase === 'leave') return undefined
  if (run.nowMs < notBeforeMs) {
    return refused(
      'ManifestNotYetValid',
      `the manifest is valid from ${formatInstant(notBeforeMs)} on, wait or sign with an earlier --not-before`,
    )
  }
  if (run.nowMs <= notAfterMs) return undefined
  return refused(
    'ManifestExpired',
    `the manifest was valid until ${formatInstant(notAfterMs)}, sign it again`,
  )
}

/** Values are not quoted: they may be secret. */
function paramObjection({ params }: Manifest, environment: Environment): CheckedManifest | undefined {
  const patterns = new Map(params.map(({ name, pattern }) => [name, pattern]))
  for (const name of Object.keys(environment).sort()) {
    const pattern = patterns.get(name)
    if (pattern === undefined) {
      return refused(
        'ParameterNotListed',
        `the manifest does not list ${name}: leave it out, or declare it in the profile and sign again`,
      )
    }
    const parsed = parsePortablePattern(pattern)
    const value = environment[name] ?? ''
    if (parsed.kind === 'pattern' && !value.includes('\n') && parsed.matches(value)) continue
    return refused(
      'ParameterRefused',
      value.includes('\n')
        ? `the value of ${name} holds a line end, which no host in mode Verified can be told: put it on one line`
        : `the value of ${name} does not match ${pattern}, which is what the manifest allows: correct it`,
    )
  }
  return undefined
}

function refused(reason: ManifestReason, message: string): CheckedManifest {
  return { kind: 'refused', reason, message }
}
