// Keys of every kind that signs, held by the test: also those that no machine of ours has a device for.
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { writeArmor } from '../../lib/signature/armor.ts'
import { kindOf, type KeyType } from '../../lib/signature/key-types.ts'
import { writeSshsig } from '../../lib/signature/sshsig.ts'
import { wireString } from '../../lib/signature/wire-reader.ts'

export interface SigningKey {
  readonly type: KeyType
  readonly blob: Buffer
  /** As in a .pub file. */
  readonly line: string
  readonly privateKey: KeyObject
}

export const everyKeyType: readonly KeyType[] = [
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
]

const application = 'ssh:'

export function makeSigningKey(type: KeyType, { rsaBits = 2048 } = {}): SigningKey {
  const { publicKey, privateKey } = generate(type, rsaBits)
  const blob = Buffer.concat([wireString(type), keyFields(type, publicKey)])
  return { type, blob, line: `${type} ${blob.toString('base64')} test`, privateKey }
}

function generate(type: KeyType, rsaBits: number) {
  const kind = kindOf(type)
  switch (kind.scheme) {
    case 'ed25519':
      return generateKeyPairSync('ed25519')
    case 'rsa':
      return generateKeyPairSync('rsa', { modulusLength: rsaBits })
    case 'ecdsa':
      return generateKeyPairSync('ec', { namedCurve: kind.curve.jwkName })
  }
}

function keyFields(type: KeyType, publicKey: KeyObject): Buffer {
  const { x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const kind = kindOf(type)
  const appended = kind.isSecurityKey ? [wireString(application)] : []
  switch (kind.scheme) {
    case 'ed25519':
      return Buffer.concat([wireString(decoded(x)), ...appended])
    case 'rsa':
      return Buffer.concat([mpint(decoded(e)), mpint(decoded(n))])
    case 'ecdsa': {
      const point = Buffer.concat([Buffer.from([4]), decoded(x), decoded(y)])
      return Buffer.concat([wireString(kind.curve.wireName), wireString(point), ...appended])
    }
  }
}

function decoded(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}

/** With the zero in front that says that a number is positive, and no other. */
export function mpint(number: Buffer): Buffer {
  const start = number.findIndex((byte) => byte !== 0)
  const body = start < 0 ? Buffer.alloc(0) : number.subarray(start)
  return wireString((body[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), body]) : body)
}

export interface SigningOptions {
  readonly hash?: 'sha256' | 'sha512'
  readonly rsaFormat?: 'rsa-sha2-256' | 'rsa-sha2-512' | 'ssh-rsa'
  /** Of security keys: 1 touched, 4 verified. */
  readonly flags?: number
  /** In place of the key's own blob: its certificate. */
  readonly publicKey?: Buffer
}

export interface ToSign {
  readonly key: SigningKey
  readonly message: string | Buffer
  readonly namespace: string
}

/** Armored, as ssh-keygen writes it. */
export function signSshsig({ key, message, namespace }: ToSign, options: SigningOptions = {}): string {
  return writeArmor(sshsigBlob({ key, message, namespace }, options))
}

export function sshsigBlob({ key, message, namespace }: ToSign, options: SigningOptions = {}): Buffer {
  const { hash = 'sha512', publicKey = key.blob } = options
  const digest = createHash(hash).update(message).digest()
  const data = Buffer.concat([
    Buffer.from('SSHSIG'),
    ...[namespace, '', hash, digest].map((field) => wireString(field)),
  ])
  return writeSshsig({ publicKey, namespace, hash, signature: innerSignature(key, data, options) })
}

export function innerSignature(key: SigningKey, data: Buffer, options: SigningOptions = {}): Buffer {
  const kind = kindOf(key.type)
  if (!kind.isSecurityKey) return rawSignature(key, data, options)
  const statement = Buffer.alloc(5)
  statement.writeUInt8(options.flags ?? 1)
  statement.writeUInt32BE(7, 1)
  const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
  const signed = Buffer.concat([sha256(application), statement, sha256(data)])
  return Buffer.concat([rawSignature(key, signed, options), statement])
}

function rawSignature({ type, privateKey }: SigningKey, data: Buffer, options: SigningOptions): Buffer {
  const kind = kindOf(type)
  switch (kind.scheme) {
    case 'ed25519':
      return Buffer.concat([wireString(type), wireString(sign(null, data, privateKey))])
    case 'rsa': {
      const { rsaFormat = 'rsa-sha2-512' } = options
      const hash = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512', 'ssh-rsa': 'sha1' }[rsaFormat]
      return Buffer.concat([wireString(rsaFormat), wireString(sign(hash, data, privateKey))])
    }
    case 'ecdsa': {
      const pair = sign(kind.curve.hash, data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
      const half = pair.length / 2
      const numbers = Buffer.concat([mpint(pair.subarray(0, half)), mpint(pair.subarray(half))])
      return Buffer.concat([wireString(type), wireString(numbers)])
    }
  }
}
