// OpenSSH certificates (PROTOCOL.certkeys): a key, what it may be used for and until when, signed by an authority.
import { checkSignature } from './check-signature.ts'
import { certifiedType } from './key-types.ts'
import { fingerprintOf, readKeyFields, readPublicKey, type PublicKey } from './public-key.ts'
import { readWire, WireFault, wireString } from './wire-reader.ts'

export interface Certificate {
  /** What is certified. */
  readonly key: PublicKey
  readonly isForUsers: boolean
  readonly keyID: string
  readonly serial: bigint
  readonly principals: readonly string[]
  /** Seconds since 1970: from this one on, and before that one. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly criticalOptions: readonly string[]
  readonly extensions: readonly string[]
  readonly authority: PublicKey
  readonly isSignedByAuthority: boolean
}

/** As OpenSSH's own limit. */
const mostPrincipals = 256
const userType = 1

export function isCertificate(blob: Buffer): boolean {
  return certifiedType(readWire(blob).name()) !== undefined
}

/** Throws WireFault. */
export function readCertificate(blob: Buffer): Certificate {
  const reader = readWire(blob)
  const type = certifiedType(reader.name())
  if (type === undefined) throw new WireFault('it is no certificate')
  reader.bytes()
  const keyStart = reader.at
  const fields = readKeyFields(reader, type)
  const keyBlob = Buffer.concat([wireString(type), blob.subarray(keyStart, reader.at)])
  const serial = reader.uint64()
  const isForUsers = reader.uint32() === userType
  const keyID = reader.bytes().toString('latin1')
  const principals = readPrincipals(reader.bytes())
  const [validAfter, validBefore] = [reader.uint64(), reader.uint64()]
  const [criticalOptions, extensions] = [readOptionNames(reader.bytes()), readOptionNames(reader.bytes())]
  reader.bytes()
  const authority = readPublicKey(reader.bytes())
  const signed = blob.subarray(0, reader.at)
  const checked = checkSignature(authority, reader.bytes(), signed)
  if (reader.left > 0) throw new WireFault(`${reader.left} bytes follow the certificate`)
  return {
    key: { type, blob: keyBlob, fingerprint: fingerprintOf(keyBlob), ...fields },
    isForUsers,
    keyID,
    serial,
    principals,
    validAfter,
    validBefore,
    criticalOptions,
    extensions,
    authority,
    isSignedByAuthority: checked.kind === 'right',
  }
}

function readPrincipals(list: Buffer): readonly string[] {
  const reader = readWire(list)
  const principals: string[] = []
  while (reader.left > 0) {
    if (principals.length === mostPrincipals)
      throw new WireFault(`it has more than ${mostPrincipals} principals`)
    principals.push(reader.bytes().toString('latin1'))
  }
  return principals
}

function readOptionNames(list: Buffer): readonly string[] {
  const reader = readWire(list)
  const names: string[] = []
  while (reader.left > 0) {
    names.push(reader.name())
    reader.bytes()
  }
  return names
}
