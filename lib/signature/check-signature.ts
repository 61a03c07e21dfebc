// The signature proper: a format's name, its bytes, and what a security key adds to them.
import { createHash, verify } from 'node:crypto'
import { formatOf, kindOf, type EcdsaCurve } from './key-types.ts'
import type { PublicKey } from './public-key.ts'
import { readWire, WireFault } from './wire-reader.ts'

export type CheckedSignature =
  | { readonly kind: 'right'; readonly wasTouched: boolean; readonly wasVerified: boolean }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'not-permitted'; readonly format: string }

/** Of security keys: somebody touched it; somebody gave a PIN or a finger. */
const touched = 0x01
const verified = 0x04

/** Throws WireFault. */
export function checkSignature(key: PublicKey, signature: Buffer, data: Buffer): CheckedSignature {
  const reader = readWire(signature)
  const format = reader.name()
  const known = formatOf(format)
  if (known === undefined) return { kind: 'not-permitted', format }
  const bytes = reader.bytes()
  const kind = kindOf(known.type)
  const flags = kind.isSecurityKey ? reader.byte() : touched
  const counter = kind.isSecurityKey ? reader.uint32() : 0
  if (reader.left > 0) throw new WireFault(`${reader.left} bytes follow the signature`)
  if (known.type !== key.type) return { kind: 'wrong' }
  const signed = kind.isSecurityKey ? signedByDevice({ key, flags, counter, data }) : data
  if (!isRight(key, { bytes, rsaHash: known.rsaHash }, signed)) return { kind: 'wrong' }
  return { kind: 'right', wasTouched: (flags & touched) !== 0, wasVerified: (flags & verified) !== 0 }
}

interface DeviceStatement {
  readonly key: PublicKey
  readonly flags: number
  readonly counter: number
  readonly data: Buffer
}

function signedByDevice({ key, flags, counter, data }: DeviceStatement): Buffer {
  const statement = Buffer.alloc(5)
  statement.writeUInt8(flags)
  statement.writeUInt32BE(counter, 1)
  return Buffer.concat([sha256(Buffer.from(key.application)), statement, sha256(data)])
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

interface SignatureBytes {
  readonly bytes: Buffer
  readonly rsaHash: 'sha256' | 'sha512' | undefined
}

function isRight({ type, key }: PublicKey, { bytes, rsaHash }: SignatureBytes, data: Buffer): boolean {
  const kind = kindOf(type)
  switch (kind.scheme) {
    case 'ed25519':
      return bytes.length === 64 && verify(null, data, key, bytes)
    case 'ecdsa':
      return verify(kind.curve.hash, data, { key, dsaEncoding: 'ieee-p1363' }, readPair(bytes, kind.curve))
    case 'rsa': {
      const length = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)
      // Agents leave out leading zeros.
      if (bytes.length > length) return false
      return verify(rsaHash, data, key, Buffer.concat([Buffer.alloc(length - bytes.length), bytes]))
    }
  }
}

/** Two numbers, each at the curve's full length. */
function readPair(bytes: Buffer, { bytes: length }: EcdsaCurve): Buffer {
  const reader = readWire(bytes)
  const pair = [reader.positive(), reader.positive()]
  if (reader.left > 0) throw new WireFault(`${reader.left} bytes follow the signature's numbers`)
  return Buffer.concat(
    pair.map((number) => {
      if (number.length > length) throw new WireFault("a number of the signature is beyond its key's curve")
      return Buffer.concat([Buffer.alloc(length - number.length), number])
    }),
  )
}
