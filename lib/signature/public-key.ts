// Public keys as SSH writes them, made ready for checking signatures.
import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isKeyType, kindOf, type KeyKind, type KeyType } from './key-types.ts'
import { readWire, WireFault, type WireReader } from './wire-reader.ts'

export interface PublicKey {
  readonly type: KeyType
  readonly blob: Buffer
  readonly key: KeyObject
  /** Of security keys: what the signature was asked for, `ssh:` as a rule. */
  readonly application: string
  readonly fingerprint: string
}

/** As OpenSSH's own limits. */
const leastRsaBits = 1024
const mostRsaBits = 16_384

/** `SHA256:` and 43 characters, as OpenSSH prints it. */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
}

/** Throws WireFault. */
export function readPublicKey(blob: Buffer): PublicKey {
  const reader = readWire(blob)
  const type = reader.name()
  if (!isKeyType(type)) throw new WireFault(`its type "${type}" is none that is supported`)
  const { key, application } = readKeyFields(reader, type)
  if (reader.left > 0) throw new WireFault(`${reader.left} bytes follow the key`)
  return { type, blob, key, application, fingerprint: fingerprintOf(blob) }
}

/** Throws WireFault. */
export function readKeyFields(reader: WireReader, type: KeyType): Pick<PublicKey, 'key' | 'application'> {
  const kind = kindOf(type)
  const key = importKey(readJwk(reader, kind))
  return { key, application: kind.isSecurityKey ? reader.name() : '' }
}

function readJwk(reader: WireReader, kind: KeyKind): JsonWebKey {
  switch (kind.scheme) {
    case 'ed25519':
      return { kty: 'OKP', crv: 'Ed25519', x: base64url(exactly(reader.bytes(), 32)) }
    case 'rsa':
      return readRsa(reader)
    case 'ecdsa': {
      const { wireName, jwkName, bytes } = kind.curve
      if (reader.name() !== wireName) throw new WireFault('its curve is not that of its type')
      const point = exactly(reader.bytes(), 1 + 2 * bytes)
      if (point[0] !== 4) throw new WireFault('its point is not written in full')
      const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)]
      return { kty: 'EC', crv: jwkName, x: base64url(x), y: base64url(y) }
    }
  }
}

function readRsa(reader: WireReader): JsonWebKey {
  const exponent = reader.positive()
  const modulus = reader.positive()
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24
  if (bits < leastRsaBits) throw new WireFault(`it has ${bits} bits, RSA keys must have ${leastRsaBits}`)
  if (bits > mostRsaBits) throw new WireFault(`it has ${bits} bits, RSA keys may have ${mostRsaBits}`)
  // The longest that any tool makes; longer ones only take time.
  if (exponent.length > 8) throw new WireFault('its exponent is too long')
  return { kty: 'RSA', n: base64url(modulus), e: base64url(exponent) }
}

function importKey(jwk: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    throw new WireFault('its numbers are those of no key')
  }
}

function exactly(bytes: Buffer, length: number): Buffer {
  if (bytes.length === length) return bytes
  throw new WireFault(`a part of it has ${bytes.length} bytes, it must have ${length}`)
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url')
}
