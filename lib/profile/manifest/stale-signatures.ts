// What was signed against the profile as it is now: who changes a script after it was signed is told before a cluster is.
import { isDeepStrictEqual } from 'node:util'
import { manifestNamespace, scriptNamespace, verifyByAnyone } from '../../signature/verify-sshsig.ts'
import type { Profile, SignedManifest } from '../profile.ts'
import { scriptPhases, type ScriptPhase } from '../script-phase.ts'
import { checkManifest } from './check-manifest.ts'
import { manifestParams } from './manifest-params.ts'
import { parseManifest, type ManifestParam } from './manifest.ts'

export interface StaleSignature {
  readonly phase: ScriptPhase
  /** What is the case; to be read after the name of a file. */
  readonly message: string
}

/** Of a profile with signatures. By whom and until when is not asked here. */
export function staleSignatures(profile: Profile): readonly StaleSignature[] {
  return scriptPhases.flatMap((phase) => {
    const message = staleness(profile, phase)
    return message === undefined ? [] : [{ phase, message }]
  })
}

function staleness(profile: Profile, phase: ScriptPhase): string | undefined {
  const { scripts, manifests, signatures } = profile.spec
  const [script, manifest, signature] = [scripts[phase], manifests?.[phase], signatures?.[phase]]
  if (!script) return (manifest ?? signature) ? `${phase} is signed, and there is no such script` : undefined
  if (manifest === undefined && !signature) return `${phase} is not signed, and others are`
  return (
    (manifest && staleManifest(profile, phase, manifest)) ??
    (signature ? staleScript(script, signature) : undefined)
  )
}

function staleManifest(profile: Profile, phase: ScriptPhase, signed: SignedManifest): string | undefined {
  const { manifest: text, signature } = signed
  const verified = verifyByAnyone({ armor: signature, message: text, namespace: manifestNamespace })
  if (verified.kind === 'refused') return verified.message
  const parsed = parseManifest(text)
  const { metadata, spec } = profile
  const checked = checkManifest(text, {
    profile: metadata.name,
    version: spec.version ?? '',
    phase,
    script: spec.scripts[phase] ?? '',
    nowMs: parsed.kind === 'manifest' ? parsed.manifest.notBeforeMs : 0,
  })
  if (checked.kind === 'refused') return checked.message
  const now = manifestParams(profile, phase)
  if (now.kind === 'refused') return `${now.field} ${now.message}`
  if (isDeepStrictEqual(own(now.params), own(checked.manifest.params))) return undefined
  return `the parameters or secrets of the profile are not those that ${phase} was signed with, sign it again`
}

/** The fixed variables may get other patterns with another version of this program. */
function own(params: readonly ManifestParam[]): readonly ManifestParam[] {
  return params.filter(({ name }) => /^KPSSH_(VAR|SECRET)_/.test(name))
}

function staleScript(script: string, armor: string): string | undefined {
  const verified = verifyByAnyone({ armor, message: script, namespace: scriptNamespace })
  return verified.kind === 'refused' ? verified.message : undefined
}
