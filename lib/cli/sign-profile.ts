// What there is to sign of a profile, and what comes of it.
import { SpecError } from '../errors/spec-error.ts'
import { scriptDigest } from '../profile/manifest/check-manifest.ts'
import { manifestParams } from '../profile/manifest/manifest-params.ts'
import { parseManifest, writeManifest } from '../profile/manifest/manifest.ts'
import { scriptFlaw } from '../profile/manifest/script-flaw.ts'
import type { Profile } from '../profile/profile.ts'
import { scriptPhases, type ScriptPhase } from '../profile/script-phase.ts'
import { manifestNamespace, scriptNamespace, verifyByAnyone } from '../signature/verify-sshsig.ts'
import type { Sign } from './sign-with-ssh-keygen.ts'
import type { Signatures } from './signatures-file.ts'
import type { SigningSpan } from './signing-span.ts'

export interface SigningOrder {
  readonly profile: Profile
  readonly span: SigningSpan
  /** Whether the scripts are signed by themselves too. */
  readonly alsoScripts: boolean
}

export interface SignedProfile {
  readonly signatures: Signatures
  readonly phases: readonly ScriptPhase[]
  /** Type and fingerprint. */
  readonly signer: string
}

/** Nothing is signed before all of it can be. Throws SpecError. */
export async function signProfile(
  { profile, span, alsoScripts }: SigningOrder,
  sign: Sign,
): Promise<SignedProfile> {
  requireSerial(profile, span.serial)
  const toSign = scriptPhases.flatMap((phase) => {
    const script = profile.spec.scripts[phase]
    return script ? [{ phase, script, manifest: manifestOf(profile, phase, span) }] : []
  })
  const manifests: Record<string, { readonly manifest: string; readonly signature: string }> = {}
  const signatures: Record<string, string> = {}
  let signer = ''
  for (const { phase, script, manifest } of toSign) {
    const signed = await signChecked(sign, manifestNamespace, manifest)
    signer = signed.signer
    manifests[phase] = { manifest, signature: signed.armor }
    if (alsoScripts) signatures[phase] = (await signChecked(sign, scriptNamespace, script)).armor
  }
  return {
    signatures: { ...(alsoScripts ? { signatures } : {}), manifests },
    phases: toSign.map(({ phase }) => phase),
    signer,
  }
}

function manifestOf(profile: Profile, phase: ScriptPhase, span: SigningSpan): string {
  const { metadata, spec } = profile
  const script = spec.scripts[phase] ?? ''
  const brace = script.indexOf('{{')
  if (brace >= 0) {
    const line = script.slice(0, brace).split('\n').length
    throw new SpecError(
      `Cannot sign ${phase}.sh: line ${line} has "{{", what is signed must be template-free: read the KPSSH_ variables instead`,
      { reason: 'ScriptHasTemplate' },
    )
  }
  const flaw = scriptFlaw(script)
  if (flaw !== undefined) {
    throw new SpecError(`Cannot sign ${phase}.sh: ${flaw.message}`, { reason: flaw.reason })
  }
  const params = manifestParams(profile, phase)
  if (params.kind === 'refused') {
    throw new SpecError(`Cannot sign ${phase}.sh: ${params.field} ${params.message}`, {
      reason: 'ParameterInvalid',
    })
  }
  return writeManifest({
    profile: metadata.name,
    version: spec.version || '1',
    phase,
    scriptSha256: scriptDigest(script),
    params: params.params,
    ...span,
  })
}

/** Hosts that have accepted the last one would refuse it. */
function requireSerial({ spec }: Profile, serial: number): void {
  for (const signed of Object.values(spec.manifests ?? {})) {
    const parsed = parseManifest(signed?.manifest ?? '')
    if (parsed.kind === 'malformed' || parsed.manifest.serial <= serial) continue
    throw new SpecError(
      `Cannot sign with serial ${serial}: the profile is signed with ${parsed.manifest.serial}, hosts refuse a lower one: give a higher --serial, or remove signatures.yaml where no host has had it`,
      { reason: 'SerialTooLow' },
    )
  }
}

async function signChecked(sign: Sign, namespace: string, message: string) {
  const armor = await sign(namespace, message)
  const verified = verifyByAnyone({ armor, message, namespace })
  if (verified.kind === 'verified') return { armor, signer: verified.signer }
  throw new SpecError(`Cannot use what ssh-keygen signed: ${verified.message}`, { reason: verified.reason })
}
