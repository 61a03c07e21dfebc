// Whether a list of signers allows a signature that is right: which line, within which limits.
import { readCertificate, isCertificate, type Certificate } from './certificate.ts'
import { matchesPatternList } from './pattern-list.ts'
import { readPublicKey, type PublicKey } from './public-key.ts'
import { SignatureFault } from './refusal.ts'
import type { Signer } from './signer.ts'
import { WireFault } from './wire-reader.ts'

export interface SigningKey {
  readonly key: PublicKey
  readonly certificate?: Certificate
}

export interface SigningCircumstances {
  readonly namespace: string
  readonly principal: string
  readonly nowMs: number
  /** Of security keys; others count as touched. */
  readonly wasTouched: boolean
  readonly wasVerified: boolean
}

/** Throws SignatureFault. */
export function readSigningKey(blob: Buffer): SigningKey {
  try {
    if (!isCertificate(blob)) return { key: readPublicKey(blob) }
    const certificate = readCertificate(blob)
    return { key: certificate.key, certificate }
  } catch (error) {
    if (!(error instanceof WireFault)) throw error
    throw new SignatureFault('SignerKeyRefused', `the key of the signature cannot be used, ${error.message}`)
  }
}

/** `ssh-ed25519 SHA256:…`, for a certificate with its name and authority. */
export function signerText({ key, certificate }: SigningKey): string {
  const text = `${key.type} ${key.fingerprint}`
  if (certificate === undefined) return text
  const id = JSON.stringify(certificate.keyID.slice(0, 64).replace(/[^\x20-\x7e]/g, '?'))
  return `${text} (certificate ${id} of authority ${certificate.authority.fingerprint})`
}

/** The lines that are about this key, or about the authority of its certificate. Throws SignatureFault. */
export function linesAbout(signing: SigningKey, signers: readonly Signer[]): readonly Signer[] {
  const { key, certificate } = signing
  const wanted = certificate?.authority ?? key
  const lines = signers.filter(
    (signer) => signer.isAuthority === (certificate !== undefined) && signer.key.blob.equals(wanted.blob),
  )
  if (lines.length > 0) return lines
  const what = certificate === undefined ? 'signer' : 'authority'
  throw new SignatureFault(
    certificate === undefined ? 'SignerNotTrusted' : 'CertificateNotTrusted',
    `the signer, ${signerText(signing)}, is not in the trusted set (${trustedText(signers)}), ` +
      `sign with a key that is, or add this ${what} to it`,
  )
}

function trustedText(signers: readonly Signer[]): string {
  const named = signers
    .slice(0, 4)
    .map(({ key, isAuthority }) => `${isAuthority ? 'authority ' : ''}${key.fingerprint}`)
  return [...named, ...(signers.length > named.length ? [`${signers.length - named.length} more`] : [])].join(
    ', ',
  )
}

/** Passes when one of the lines allows it; otherwise says why the first does not. Throws SignatureFault. */
export function requireAllowed(
  signing: SigningKey,
  lines: readonly Signer[],
  circumstances: SigningCircumstances,
): void {
  const objections = lines.map((line) => objectionOf(signing, line, circumstances))
  const [first] = objections
  if (first === undefined || objections.includes(undefined)) return
  throw new SignatureFault(first.reason, `the signer, ${signerText(signing)}, ${first.message}`)
}

type Objection = Pick<SignatureFault, 'reason' | 'message'>

function objectionOf(signing: SigningKey, signer: Signer, at: SigningCircumstances): Objection | undefined {
  return (
    objectionOfLine(signer, at) ??
    objectionOfCertificate(signing, signer, at) ??
    objectionOfTouch(signing, signer, at)
  )
}

function objectionOfLine(
  signer: Signer,
  { principal, namespace, nowMs }: SigningCircumstances,
): Objection | undefined {
  const { principals, namespaces, validAfterMs, validBeforeMs } = signer
  if (principals !== undefined && !matchesPatternList(principal, principals)) {
    return {
      reason: 'SignerNotForPrincipal',
      message: `is trusted as "${principals}" alone, not as "${principal}"; change its principals`,
    }
  }
  if (namespaces !== undefined && !matchesPatternList(namespace, namespaces)) {
    return {
      reason: 'SignerNotForNamespace',
      message: `is trusted in namespace "${namespaces}" alone, not in "${namespace}"; change its namespaces`,
    }
  }
  if (validAfterMs !== undefined && nowMs < validAfterMs) {
    return {
      reason: 'SignerNotYetValid',
      message: `is trusted from ${timeText(validAfterMs)} on, wait or change its valid-after`,
    }
  }
  // As ssh-keygen counts: seconds, and that of valid-before is the last one.
  if (validBeforeMs !== undefined && Math.floor(nowMs / 1000) > validBeforeMs / 1000) {
    return {
      reason: 'SignerExpired',
      message: `was trusted until ${timeText(validBeforeMs)}, sign again with a key that is trusted now`,
    }
  }
  return undefined
}

const understoodOptions: ReadonlySet<string> = new Set(['verify-required'])

function objectionOfCertificate(
  { certificate }: SigningKey,
  signer: Signer,
  { principal, nowMs }: SigningCircumstances,
): Objection | undefined {
  if (certificate === undefined) return undefined
  const { isForUsers, isSignedByAuthority, principals, criticalOptions } = certificate
  if (!isSignedByAuthority) {
    return { reason: 'CertificateWrong', message: 'has a certificate that its authority did not sign' }
  }
  if (!isForUsers) {
    return {
      reason: 'CertificateNotForUsers',
      message: 'has a certificate that is not for users, make one without ssh-keygen -h',
    }
  }
  const wanted = signer.certificatePrincipals ?? [principal]
  if (!wanted.some((name) => principals.includes(name))) {
    const named = wanted.join(',').slice(0, 256)
    return {
      reason: 'CertificateNotForPrincipal',
      message: `has a certificate without the principal "${named}", make one with ssh-keygen -n ${named}`,
    }
  }
  const unknown = criticalOptions.find((name) => !understoodOptions.has(name))
  if (unknown !== undefined) {
    return {
      reason: 'CertificateOptionUnknown',
      message: `has a certificate with the critical option "${unknown}", make one without it`,
    }
  }
  return objectionOfWindow(certificate, nowMs)
}

function objectionOfWindow({ validAfter, validBefore }: Certificate, nowMs: number): Objection | undefined {
  const now = BigInt(Math.floor(nowMs / 1000))
  if (now < validAfter) {
    return {
      reason: 'CertificateNotYetValid',
      message: `has a certificate that is valid from ${secondsText(validAfter)} on, wait or make another`,
    }
  }
  if (now < validBefore) return undefined
  return {
    reason: 'CertificateExpired',
    message: `has a certificate that was valid until ${secondsText(validBefore)}, make another and sign again`,
  }
}

function objectionOfTouch(
  { certificate }: SigningKey,
  signer: Signer,
  { wasTouched, wasVerified }: SigningCircumstances,
): Objection | undefined {
  const mayGoUntouched =
    signer.needsNoTouch && (certificate?.extensions.includes('no-touch-required') ?? true)
  const needsVerification =
    signer.needsVerification || certificate?.criticalOptions.includes('verify-required') === true
  if ((wasTouched || mayGoUntouched) && (wasVerified || !needsVerification)) return undefined
  return {
    reason: 'SignatureWithoutTouch',
    message: 'signed without a touch, PIN or finger on the security key, sign again with it',
  }
}

function secondsText(seconds: bigint): string {
  const last = 253_402_300_799n
  return timeText(Number(seconds > last ? last : seconds) * 1000)
}

function timeText(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000Z', 'Z')
}
