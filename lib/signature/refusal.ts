// Why a signature is not accepted. Nothing in this room throws: a refusal is a value, with a reason that stays the same
// and a message that says what is the case and what to do.

export type SignatureReason =
  | 'SignersMissing'
  | 'SignerInvalid'
  | 'SignatureTooLarge'
  | 'SignatureMalformed'
  | 'SignatureVersionUnknown'
  | 'SignatureOtherNamespace'
  | 'SignatureHashUnknown'
  | 'SignatureAlgorithmRefused'
  | 'SignatureWrong'
  | 'SignatureWithoutTouch'
  | 'SignerKeyRefused'
  | 'SignerNotTrusted'
  | 'SignerNotForNamespace'
  | 'SignerNotForPrincipal'
  | 'SignerNotYetValid'
  | 'SignerExpired'
  | 'CertificateMalformed'
  | 'CertificateNotTrusted'
  | 'CertificateWrong'
  | 'CertificateNotForUsers'
  | 'CertificateNotForPrincipal'
  | 'CertificateNotYetValid'
  | 'CertificateExpired'
  | 'CertificateOptionUnknown'

export interface Refused {
  readonly kind: 'refused'
  readonly reason: SignatureReason
  /** To be read after "…: ". */
  readonly message: string
}

/** Never leaves this room: `orRefused` makes a value of it. */
export class SignatureFault extends Error {
  readonly reason: SignatureReason
  constructor(reason: SignatureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export function refused(reason: SignatureReason, message: string): Refused {
  return { kind: 'refused', reason, message }
}

export function orRefused<T>(read: () => T): T | Refused {
  try {
    return read()
  } catch (error) {
    if (error instanceof SignatureFault) return refused(error.reason, error.message)
    throw error
  }
}
