// Whether a signature is right, and made by someone who may: what is checked in which order never changes, so that a
// signature that is wrong in two ways always gets the same answer.
import { readArmor } from './armor.ts'
import { checkSignature } from './check-signature.ts'
import { linesAbout, readSigningKey, requireAllowed, signerText, type SigningKey } from './check-signer.ts'
import { orRefused, SignatureFault, type Refused } from './refusal.ts'
import type { Signer } from './signer.ts'
import { orMalformed, readSshsig, signedData } from './sshsig.ts'

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

function verifyOrThrow(toVerify: SignatureToVerify): VerifiedSignature {
  const { armor, signers, nowMs, principal = signerPrincipal } = toVerify
  const namespace = toVerify.namespace === '' ? scriptNamespace : toVerify.namespace
  if (signers.length === 0) {
    throw new SignatureFault('SignersMissing', 'there is no trusted signer, give the public key that signs')
  }
  const message = Buffer.from(toVerify.message)
  if (message.length > longestMessageBytes) {
    throw new SignatureFault(
      'SignatureTooLarge',
      `what was signed has more than ${longestMessageBytes} bytes`,
    )
  }
  const sshsig = readSshsig(readArmor(armor))
  if (sshsig.namespace !== namespace) {
    throw new SignatureFault(
      'SignatureOtherNamespace',
      `the signature is for namespace "${sshsig.namespace}", it must be for "${namespace}": sign with ssh-keygen -n ${namespace}`,
    )
  }
  const signing = readSigningKey(sshsig.publicKey)
  const lines = linesAbout(signing, signers)
  const data = signedData({ namespace, hash: knownHash(sshsig.hash) }, message)
  const right = requireRight(signing, sshsig.signature, data)
  requireAllowed(signing, lines, { namespace, principal, nowMs, ...right })
  return { kind: 'verified', fingerprint: signing.key.fingerprint, signer: signerText(signing) }
}

function knownHash(hash: string): 'sha256' | 'sha512' {
  if (hash === 'sha256' || hash === 'sha512') return hash
  throw new SignatureFault(
    'SignatureHashUnknown',
    `the signature uses the hash "${hash}", it must use sha512 or sha256`,
  )
}

function requireRight(signing: SigningKey, signature: Buffer, data: Buffer) {
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
