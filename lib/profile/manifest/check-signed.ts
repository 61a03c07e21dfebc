// Everything that must hold before a host in mode Verified is connected to, in one order. What fails here is wrong with the
// profile, its signers or the vars, not with the host.
import type { Refused as SignatureRefused, SignatureReason } from '../../signature/refusal.ts'
import { parseSigners } from '../../signature/signers.ts'
import type { Signer } from '../../signature/signer.ts'
import { manifestNamespace, scriptNamespace, verifySshsig } from '../../signature/verify-sshsig.ts'
import { scriptFlaw, type ScriptFlawReason } from './script-flaw.ts'
import { checkManifest, type ManifestReason, type PhaseToRun } from './check-manifest.ts'
import type { Manifest } from './manifest.ts'

export type SignedReason =
  'ScriptMissing' | 'ScriptHasTemplate' | ScriptFlawReason | 'NotSigned' | SignatureReason | ManifestReason

export interface SignedManifest {
  readonly manifest: string
  readonly signature: string
}

export interface SignedToRun extends PhaseToRun {
  /** spec.manifests of the phase. */
  readonly manifest?: SignedManifest | undefined
  /** spec.signatures of the phase: of the script alone. */
  readonly signature?: string | undefined
  /** spec.trustedSigners of the host. */
  readonly trustedSigners: readonly string[]
  /** The manifest was found right for this very run, and who has signed it is all that is asked. */
  readonly isManifestKnown?: boolean
}

export type CheckedSigned =
  | {
      readonly kind: 'ok'
      /** What to hand to the host: the signature of the script alone only if it is right as well. */
      readonly signed: { readonly manifest?: SignedManifest; readonly signature?: string }
      /** Type and fingerprint of the key that signed. */
      readonly signer: string
      /** Absent where the script alone is signed. */
      readonly manifest?: Manifest
    }
  | {
      readonly kind: 'refused'
      /** Stable. */
      readonly reason: SignedReason
      /** A whole sentence: which script, which signer, why, what to do. */
      readonly message: string
    }

/** Pure; never throws. Without `environment` it tells whether a profile can be run at all. */
export function checkSigned(run: SignedToRun): CheckedSigned {
  const { phase, script, manifest, signature } = run
  if (script === '') return refused(run, 'ScriptMissing', `scripts.${phase} is empty, add it and sign it`)
  if (script.includes('{{')) {
    return refused(
      run,
      'ScriptHasTemplate',
      `scripts.${phase} has "{{", it must be template-free there: read the KPSSH_ variables instead`,
    )
  }
  const flaw = scriptFlaw(script)
  if (flaw !== undefined)
    return refused(run, flaw.reason, `scripts.${phase}: ${flaw.message} and sign it again`)
  if (manifest === undefined && !signature) {
    return refused(
      run,
      'NotSigned',
      `there is no signature of scripts.${phase} and no manifest, sign the profile and apply it again`,
    )
  }
  const parsed = parseSigners(run.trustedSigners)
  if (parsed.kind === 'refused') return refusedBy(run, 'trustedSigners of the host', parsed)
  if (manifest === undefined) return checkScript(run, signature ?? '', parsed.signers)
  return checkWithManifest(run, manifest, parsed.signers)
}

function checkWithManifest(
  run: SignedToRun,
  signed: SignedManifest,
  signers: readonly Signer[],
): CheckedSigned {
  const { phase, signature, nowMs } = run
  const verified = verifySshsig({
    armor: signed.signature,
    message: signed.manifest,
    namespace: manifestNamespace,
    signers,
    nowMs,
  })
  if (verified.kind === 'refused') return refusedBy(run, `manifests.${phase}`, verified)
  if (run.isManifestKnown === true)
    return { kind: 'ok', signed: { manifest: signed }, signer: verified.signer }
  const checked = checkManifest(signed.manifest, run)
  if (checked.kind === 'refused') {
    const message = `${checked.message} (manifests.${phase}, signed by ${verified.signer})`
    return refused(run, checked.reason, message)
  }
  const script = signature ? checkScript(run, signature, signers) : undefined
  return {
    kind: 'ok',
    signed: { manifest: signed, ...(signature && script?.kind === 'ok' ? { signature } : {}) },
    signer: verified.signer,
    manifest: checked.manifest,
  }
}

/** As the first version of the shim checks: no phase, no time span, no parameters. */
function checkScript(run: SignedToRun, signature: string, signers: readonly Signer[]): CheckedSigned {
  const verified = verifySshsig({
    armor: signature,
    message: run.script,
    namespace: scriptNamespace,
    signers,
    nowMs: run.nowMs,
  })
  if (verified.kind === 'refused') return refusedBy(run, `signatures.${run.phase}`, verified)
  const unfit = Object.entries(run.environment ?? {}).find(
    ([name, value]) => !/^KPSSH_[A-Za-z0-9_]+$/.test(name) || value.includes('\n'),
  )
  if (unfit !== undefined) {
    return refused(
      run,
      'ParameterRefused',
      `the value of ${unfit[0]} holds a line end, which no host in mode Verified can be told: put it on one line`,
    )
  }
  return { kind: 'ok', signed: { signature }, signer: verified.signer }
}

function refusedBy(run: SignedToRun, what: string, { reason, message }: SignatureRefused): CheckedSigned {
  return refused(run, reason, `${what}: ${message}`)
}

function refused({ phase, profile }: SignedToRun, reason: SignedReason, why: string): CheckedSigned {
  return {
    kind: 'refused',
    reason,
    message: `Cannot run ${phase} of profile "${profile}" in mode Verified: ${why}`,
  }
}
