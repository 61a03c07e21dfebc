// Signatures as `ssh-keygen -Y sign` makes them, without the program: for tests that only need something signed.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'

export interface TestSigner {
  /** As in authorized_keys. */
  readonly publicLine: string
  /** Armored. */
  sign(namespace: string, message: string): string
}

export function aSigner(): TestSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const blob = Buffer.concat([text('ssh-ed25519'), bytes(raw)])
  return {
    publicLine: `ssh-ed25519 ${blob.toString('base64')} test`,
    sign(namespace, message) {
      const digest = createHash('sha512').update(message).digest()
      const common = [text(namespace), text(''), text('sha512')]
      const signed = Buffer.concat([Buffer.from('SSHSIG'), ...common, bytes(digest)])
      const signature = Buffer.concat([text('ssh-ed25519'), bytes(sign(null, signed, privateKey))])
      return armored(
        Buffer.concat([Buffer.from('SSHSIG'), uint32(1), bytes(blob), ...common, bytes(signature)]),
      )
    },
  }
}

function armored(blob: Buffer): string {
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n')
}

function text(value: string): Buffer {
  return bytes(Buffer.from(value))
}

function bytes(value: Uint8Array): Buffer {
  return Buffer.concat([uint32(value.length), value])
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return buffer
}
