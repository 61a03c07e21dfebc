// The openssh-key-v1 container (PROTOCOL.key of OpenSSH), for the one key type that ssh2 reads from nowhere else.
import type { KeyObject } from 'node:crypto'

const keyType = 'ssh-ed25519'

export function toOpenSshEd25519(key: KeyObject): string {
  const { d, x } = key.export({ format: 'jwk' })
  if (d === undefined || x === undefined) throw new Error('not an ed25519 private key')
  const publicHalf = Buffer.from(x, 'base64url')
  const secretHalf = Buffer.concat([Buffer.from(d, 'base64url'), publicHalf])
  const publicBlob = Buffer.concat([field(keyType), field(publicHalf)])
  // Two equal check words prove a decryption; nothing is encrypted here.
  const check = Buffer.alloc(8)
  const fields = Buffer.concat([check, field(keyType), field(publicHalf), field(secretHalf), field('')])
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (fields.length % 8)) % 8))
  const container = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    Buffer.from([0, 0, 0, 1]),
    field(publicBlob),
    field(Buffer.concat([fields, padding])),
  ])
  const lines = container.toString('base64').match(/.{1,70}/g) ?? []
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** The cipher that a container names, `none` for a key that is not encrypted; undefined if it is no such container. */
export function openSshCipher(text: string): string | undefined {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([^-]+)-----END/.exec(text)?.[1] ?? ''
  const bytes = Buffer.from(body, 'base64')
  const magic = 'openssh-key-v1\0'
  if (bytes.length < magic.length + 4 || !bytes.toString('latin1').startsWith(magic)) return undefined
  const start = magic.length + 4
  return bytes.toString('latin1', start, start + Math.min(bytes.readUInt32BE(magic.length), 64))
}
