import type { PublicKey } from './public-key.ts'

/** Whose signatures are accepted, and within which limits: one line of a list of signers. */
export interface Signer {
  /** Of the line it was read from, from 1. */
  readonly line: number
  readonly key: PublicKey
  /** Its certificates are accepted, not its own signatures. */
  readonly isAuthority: boolean
  /** Pattern list; absent: everyone. */
  readonly principals?: string | undefined
  /** Of an authority: one of them must be in the certificate; absent: the principal that is asked for. */
  readonly certificatePrincipals?: readonly string[] | undefined
  /** Pattern list; absent: every namespace. */
  readonly namespaces?: string | undefined
  readonly validAfterMs?: number | undefined
  readonly validBeforeMs?: number | undefined
  /** Of security keys: signatures that nobody touched the key for are accepted too. */
  readonly needsNoTouch: boolean
  /** Of security keys: a PIN or a finger must have been given. */
  readonly needsVerification: boolean
}
