// OpenSSH's format for signatures of files (PROTOCOL.sshsig).
import { createHash } from 'node:crypto'
import { SignatureFault } from './refusal.ts'
import { readWire, WireFault, wireString } from './wire-reader.ts'

const magic = 'SSHSIG'

export interface Sshsig {
  readonly publicKey: Buffer
  readonly namespace: string
  readonly hash: string
  readonly signature: Buffer
}

/** Bytes behind the last field say nothing and are passed over. Throws SignatureFault. */
export function readSshsig(blob: Buffer): Sshsig {
  if (blob.length < 10 || blob.toString('latin1', 0, 6) !== magic) throw malformed('it is no SSH signature')
  const version = blob.readUInt32BE(6)
  if (version !== 1) {
    throw new SignatureFault(
      'SignatureVersionUnknown',
      `the signature has version ${version}, version 1 alone is known`,
    )
  }
  const reader = readWire(blob.subarray(10))
  return orMalformed(() => {
    const publicKey = reader.bytes()
    const namespace = reader.name()
    // Reserved: whatever is in it, an empty one was signed.
    reader.bytes()
    return { publicKey, namespace, hash: reader.name(), signature: reader.bytes() }
  })
}

/** Throws SignatureFault in place of WireFault. */
export function orMalformed<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof WireFault) throw malformed(error.message)
    throw error
  }
}

function malformed(why: string): SignatureFault {
  return new SignatureFault(
    'SignatureMalformed',
    `the signature cannot be read, ${why}; give what "ssh-keygen -Y sign" wrote`,
  )
}

/** What the key has signed. */
export function signedData(
  { namespace, hash }: Pick<Sshsig, 'namespace'> & { readonly hash: 'sha256' | 'sha512' },
  message: Buffer,
): Buffer {
  const digest = createHash(hash).update(message).digest()
  return Buffer.concat([
    Buffer.from(magic),
    wireString(namespace),
    wireString(''),
    wireString(hash),
    wireString(digest),
  ])
}

export function writeSshsig({ publicKey, namespace, hash, signature }: Sshsig): Buffer {
  const version = Buffer.from([0, 0, 0, 1])
  const fields = [publicKey, namespace, '', hash, signature].map(wireString)
  return Buffer.concat([Buffer.from(magic), version, ...fields])
}
