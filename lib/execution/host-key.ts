// Host keys by type: what is proposed in a handshake, and how a key is named.
import { createHash } from 'node:crypto'

/** In the order in which they are proposed. SHA-1 signatures are never accepted. */
export const hostKeyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
] as const
export type HostKeyType = (typeof hostKeyTypes)[number]

export function isHostKeyType(text: string): text is HostKeyType {
  return hostKeyTypes.some((type) => type === text)
}

/** `SHA256:` and 43 characters, as OpenSSH prints it. */
export function fingerprintOf(keyBlob: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(keyBlob).digest('base64').replace(/=+$/, '')}`
}

export function isFingerprint(text: string): boolean {
  return /^SHA256:[A-Za-z0-9+/]{43}$/.test(text)
}

/** The type that a public key blob names in its first field. */
export function keyTypeOf(keyBlob: Uint8Array): string {
  const bytes = Buffer.from(keyBlob)
  if (bytes.length < 4) return ''
  const length = bytes.readUInt32BE(0)
  return bytes.toString('latin1', 4, 4 + Math.min(length, 64))
}
