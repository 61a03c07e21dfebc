// Whether a signature is right, and made by someone who may: what is checked in which order never changes, so that a
// signature that is wrong in two ways always gets the same answer.
import { readArmor } from './armor.ts'
import { checkSignature } from './check-signature.ts'
import { linesAbout, readSigningKey, requireAllowed, signerText, type SigningKey } from './check-signer.ts'
import { orRefused, SignatureFault, type Refused } from './refusal.ts'
import type { Signer } from './signer.ts'
import { orMalformed, readSshsig, signedData, type Sshsig } from './sshsig.ts'

/** Namespace of signatures of scripts, and the principal that every signature is checked for. */
export const scriptNamespace = 'kpssh'
export const manifestNamespace = 'kpssh-manifest'
export const signerPrincipal = 'kpssh'

/** No script or manifest comes near. */
const longestMessageBytes = 4 * 1024 * 1024

export interface SignatureToVerify {
  readonly armor: string
  /** Text is taken as UTF-8. */
  readonly message: string | Uint8Array
  /** Empty means that of scripts. */
  readonly namespace: string
  readonly signers: readonly Signer[]
  readonly nowMs: number
  readonly principal?: string
}

export type VerifiedSignature =
  | {
      readonly kind: 'verified'
      /** Of the key that signed, `SHA256:…`. */
      readonly fingerprint: string
      /** Type and fingerprint; of a certificate its name and its authority too. */
      readonly signer: string
    }
  | Refused

/** Never throws, whatever it is given. */
export function verifySshsig(toVerify: SignatureToVerify): VerifiedSignature {
  return orRefused(() => verifyOrThrow(toVerify))
}

/** Whether it is right, by whomever: for who has just signed, and for what may have been changed since. */
export function verifyByAnyone(
  toVerify: Omit<SignatureToVerify, 'signers' | 'nowMs' | 'principal'>,
): VerifiedSignature {
  return orRefused(() => {
    const { signing, sshsig, namespace } = readSignature(toVerify)
    requireRight(signing, sshsig, { namespace, message: messageOf(toVerify) })
    return verifiedBy(signing)
  })
}

function verifyOrThrow(toVerify: SignatureToVerify): VerifiedSignature {
  const { signers, nowMs, principal = signerPrincipal } = toVerify
  if (signers.length === 0) {
    throw new SignatureFault('SignersMissing', 'there is no trusted signer, give the public key that signs')
  }
  const message = messageOf(toVerify)
  const { signing, sshsig, namespace } = readSignature(toVerify)
  const lines = linesAbout(signing, signers)
  const right = requireRight(signing, sshsig, { namespace, message })
  requireAllowed(signing, lines, { namespace, principal, nowMs, ...right })
  return verifiedBy(signing)
}

function verifiedBy(signing: SigningKey): VerifiedSignature {
  return { kind: 'verified', fingerprint: signing.key.fingerprint, signer: signerText(signing) }
}

function messageOf({ message: text }: Pick<SignatureToVerify, 'message'>): Buffer {
  const message = Buffer.from(text)
  if (message.length <= longestMessageBytes) return message
  throw new SignatureFault('SignatureTooLarge', `what was signed has more than ${longestMessageBytes} bytes`)
}

function readSignature(toVerify: Pick<SignatureToVerify, 'armor' | 'namespace'>) {
  const namespace = toVerify.namespace === '' ? scriptNamespace : toVerify.namespace
  const sshsig = readSshsig(readArmor(toVerify.armor))
  if (sshsig.namespace !== namespace) {
    throw new SignatureFault(
      'SignatureOtherNamespace',
      `the signature is for namespace "${sshsig.namespace}", it must be for "${namespace}": sign with ssh-keygen -n ${namespace}`,
    )
  }
  return { sshsig, namespace, signing: readSigningKey(sshsig.publicKey) }
}

function knownHash(hash: string): 'sha256' | 'sha512' {
  if (hash === 'sha256' || hash === 'sha512') return hash
  throw new SignatureFault(
    'SignatureHashUnknown',
    `the signature uses the hash "${hash}", it must use sha512 or sha256`,
  )
}

function requireRight(
  signing: SigningKey,
  { hash, signature }: Sshsig,
  signed: { readonly namespace: string; readonly message: Buffer },
) {
  const data = signedData({ namespace: signed.namespace, hash: knownHash(hash) }, signed.message)
  const checked = orMalformed(() => checkSignature(signing.key, signature, data))
  switch (checked.kind) {
    case 'right':
      return checked
    case 'wrong':
      throw new SignatureFault(
        'SignatureWrong',
        `the signature by ${signerText(signing)} is not one of these bytes: they were changed after it was made, sign again`,
      )
    case 'not-permitted':
      throw new SignatureFault(
        'SignatureAlgorithmRefused',
        `the signature by ${signerText(signing)} is of format "${checked.format}", which is not permitted: sign with ssh-keygen of OpenSSH 8.1 or later`,
      )
  }
}
