// A profile of tests, signed as `kpssh profile sign` would.
import { scriptDigest } from '../../../lib/profile/manifest/check-manifest.ts'
import { manifestParams } from '../../../lib/profile/manifest/manifest-params.ts'
import { writeManifest, type Manifest } from '../../../lib/profile/manifest/manifest.ts'
import { identityOf, type Profile, type SignedManifest } from '../../../lib/profile/profile.ts'
import type { ScriptPhase } from '../../../lib/profile/script-phase.ts'
import type { TestSigner } from './test-signer.ts'

const yearMs = 365 * 86_400_000
const phases = ['install', 'join', 'leave'] as const

export type Manifests = Readonly<Record<(typeof phases)[number], SignedManifest>>

/** Valid from an hour before `nowMs` on for a year, unless said otherwise. */
export function signManifests(
  profile: Profile,
  signer: TestSigner,
  { nowMs, ...overrides }: { readonly nowMs: number } & Partial<Manifest>,
): Manifests {
  const signed = phases.map((phase) => {
    const manifest = writeManifest({
      ...identityOf(profile),
      phase,
      scriptSha256: scriptDigest(profile.spec.scripts[phase] ?? ''),
      serial: 1,
      notBeforeMs: nowMs - 3_600_000,
      notAfterMs: nowMs + yearMs,
      params: paramsOf(profile, phase),
      ...overrides,
    })
    return [phase, { manifest, signature: signer.sign('kpssh-manifest', manifest) }]
  })
  return Object.fromEntries(signed) as Manifests
}

function paramsOf(profile: Profile, phase: ScriptPhase): Manifest['params'] {
  const found = manifestParams(profile, phase)
  if (found.kind === 'refused') throw new Error(`${found.field} ${found.message}`)
  return found.params
}

/** The signatures of the bare scripts. */
export function signScripts(profile: Profile, signer: TestSigner): Readonly<Record<string, string>> {
  return Object.fromEntries(
    phases.map((phase) => [phase, signer.sign('kpssh', profile.spec.scripts[phase] ?? '')]),
  )
}
