// Private keys in every container people have, turned into what ssh2 parses. ssh2 knows OpenSSH, PKCS#1 and SEC1; Node
// reads the rest and rewrites it. Nothing of a key, and no text of a parser that has seen one, gets into a message.
import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import ssh2 from 'ssh2'
import type { ParsedKey } from 'ssh2'
import { SpecError } from '../../errors/spec-error.ts'
import type { Secret } from '../../execution/ports.ts'
import { toOpenSshEd25519 } from './openssh-key-container.ts'

export interface UsableKey {
  readonly parsed: ParsedKey
  /** `SHA256:…` of the public half. */
  readonly fingerprint: string
}

/** For readiness checks: throws SpecError with `KeyFormatUnsupported`, `KeyPassphraseWrong`, `KeyPassphraseMissing` or `KeyInvalid`. */
export function validatePrivateKey(
  privateKey: Secret,
  passphrase?: Secret,
): { type: string; fingerprint: string } {
  const { parsed, fingerprint } = parsePrivateKey(privateKey, passphrase)
  return { type: parsed.type, fingerprint }
}

export function parsePrivateKey(privateKey: Secret, passphrase?: Secret): UsableKey {
  const text = normalize(privateKey.reveal())
  const secret = passphrase?.reveal()
  const label = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text)?.[1]
  const parsed = label === 'OPENSSH PRIVATE KEY' ? parseOpenSsh(text, secret) : parsePem(text, label, secret)
  const blob = parsed.getPublicSSH()
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')
  return { parsed, fingerprint: `SHA256:${digest}` }
}

/** Keys pass through editors, clipboards and base64 more often than they should. */
function normalize(text: string): string {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .trim()
  if (plain.includes('-----BEGIN ') || !/^[A-Za-z0-9+/=\s]+$/.test(plain)) return refuseOthers(plain)
  const decoded = Buffer.from(plain, 'base64').toString('utf8')
  return decoded.includes('-----BEGIN ') ? normalize(decoded) : refuseOthers(plain)
}

function refuseOthers(text: string): string {
  if (/^(ssh-|ecdsa-|sk-)\S+ AAAA/.test(text)) throw invalid('it is a public key, give the private half')
  if (text.startsWith('PuTTY-User-Key-File')) {
    throw unsupported('a PuTTY key', 'puttygen KEY -O private-openssh -o NEWKEY && ssh-keygen -p -f NEWKEY')
  }
  if (!text.includes('-----BEGIN ')) throw invalid('it is not a private key, give the text of the key file')
  return text.replace(/^[ \t]+|[ \t]+$/gm, '') + '\n'
}

function parseOpenSsh(text: string, passphrase: string | undefined): ParsedKey {
  const isEncrypted = openSshCipher(text) !== 'none'
  if (isEncrypted && passphrase === undefined) throw passphraseMissing()
  const parsed = attempt(() => ssh2.utils.parseKey(text, isEncrypted ? passphrase : undefined))
  const key = Array.isArray(parsed) ? parsed[0] : parsed
  if (key !== undefined && !(key instanceof Error) && key.isPrivateKey()) return key
  const complaint = key instanceof Error ? key.message : ''
  if (/unsupported/i.test(complaint) && !/unsupported state/i.test(complaint)) throw unsupportedContents()
  if (isEncrypted) throw passphraseWrong()
  throw invalid('its contents are damaged, copy the whole file again')
}

function openSshCipher(text: string): string {
  const body = /-----BEGIN [^-]+-----([^-]+)-----END/.exec(text)?.[1] ?? ''
  const bytes = Buffer.from(body, 'base64')
  if (bytes.length < 19 || bytes.toString('latin1', 0, 15) !== 'openssh-key-v1\0') {
    throw invalid('its contents are damaged, copy the whole file again')
  }
  return bytes.toString('latin1', 19, 19 + Math.min(bytes.readUInt32BE(15), 64))
}

function parsePem(text: string, label: string | undefined, passphrase: string | undefined): ParsedKey {
  if (label === 'DSA PRIVATE KEY') throw unsupported('a DSA key', 'ssh-keygen -t ed25519 -f NEWKEY')
  if (label?.endsWith('PRIVATE KEY') !== true)
    throw invalid('it is not a private key, give the text of the key file')
  const isEncrypted = label === 'ENCRYPTED PRIVATE KEY' || /^Proc-Type: 4,ENCRYPTED/m.test(text)
  if (isEncrypted && passphrase === undefined) throw passphraseMissing()
  const key = attempt(() =>
    createPrivateKey({ key: text, ...(isEncrypted && { passphrase: passphrase ?? '' }) }),
  )
  if (key instanceof Error) {
    if (/unsupported|unknown cipher|inner_evp_generic_fetch/i.test(key.message) && !isEncrypted)
      throw unsupportedContents()
    throw isEncrypted ? passphraseWrong() : invalid('its contents are damaged, copy the whole file again')
  }
  const parsed = attempt(() => ssh2.utils.parseKey(toSsh2Text(key)))
  if (parsed instanceof Error || Array.isArray(parsed)) throw unsupportedContents()
  return parsed
}

function toSsh2Text(key: KeyObject): string {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return key.export({ type: 'pkcs1', format: 'pem' }).toString()
    case 'ec':
      return key.export({ type: 'sec1', format: 'pem' }).toString()
    case 'ed25519':
      return toOpenSshEd25519(key)
    default:
      throw new Error('no SSH key type')
  }
}

function attempt<T>(parse: () => T): T | Error {
  try {
    return parse()
  } catch (error) {
    return error instanceof Error ? error : new Error('unreadable')
  }
}

function unsupported(what: string, line: string): SpecError {
  return new SpecError(`Cannot use the private key: it is ${what}, convert it with: ${line}`, {
    reason: 'KeyFormatUnsupported',
  })
}

function unsupportedContents(): SpecError {
  return unsupported('in a format or of a type that is not supported', 'ssh-keygen -p -f KEY')
}

function passphraseWrong(): SpecError {
  return new SpecError(
    'Cannot use the private key: its passphrase does not open it, correct "passphrase" in the Secret',
    {
      reason: 'KeyPassphraseWrong',
    },
  )
}

function passphraseMissing(): SpecError {
  return new SpecError('Cannot use the private key: it is encrypted, add its "passphrase" to the Secret', {
    reason: 'KeyPassphraseMissing',
  })
}

function invalid(state: string): SpecError {
  return new SpecError(`Cannot use the private key: ${state}`, { reason: 'KeyInvalid' })
}
