// Private keys in every container people have, turned into what ssh2 parses. ssh2 knows OpenSSH, PKCS#1 and SEC1; Node
// reads the rest and rewrites it. Nothing of a key, and no text of a parser that has seen one, gets into a message.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import ssh2 from 'ssh2'
import type { ParsedKey } from 'ssh2'
import { SpecError } from '../../errors/spec-error.ts'
import { fingerprintOf } from '../../execution/host-key.ts'
import type { Secret } from '../../execution/ports.ts'
import { openSshCipher, toOpenSshEd25519 } from './openssh-key-container.ts'

/** Several times what the largest RSA key takes, in base64 once more. */
const longestText = 65_536

const damaged = 'its contents are damaged, copy the whole file again'

/**
 * For readiness checks. Throws SpecError with the reason `KeyFormatUnsupported`, `KeyPassphraseWrong`,
 * `KeyPassphraseMissing` or `KeyInvalid`.
 */
export function validatePrivateKey(
  privateKey: Secret,
  passphrase?: Secret,
): { type: string; fingerprint: string } {
  const key = parsePrivateKey(privateKey, passphrase)
  return { type: key.type, fingerprint: fingerprintOf(key.getPublicSSH()) }
}

export function parsePrivateKey(privateKey: Secret, passphrase?: Secret): ParsedKey {
  const text = normalize(privateKey.reveal())
  const label = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text)?.[1]
  if (label === 'OPENSSH PRIVATE KEY') return parseOpenSsh(text, passphrase?.reveal())
  if (label === 'DSA PRIVATE KEY') throw unsupported('a DSA key', 'ssh-keygen -t ed25519 -f NEWKEY')
  if (label?.endsWith('PRIVATE KEY') === true) return parsePem(text, label, passphrase?.reveal())
  throw invalid('it is not a private key, give the text of the key file')
}

/** Keys pass through editors, clipboards and base64 more often than they should. */
function normalize(given: string): string {
  if (given.length > longestText)
    throw invalid('it is longer than any private key, give the text of the key file')
  const text = given
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .join('\n')
    .trim()
  if (/^(ssh-|ecdsa-|sk-)\S+ AAAA/.test(text)) throw invalid('it is a public key, give the private half')
  if (text.startsWith('PuTTY-User-Key-File')) {
    throw unsupported(
      'a PuTTY key',
      'puttygen KEY -O private-openssh -o NEWKEY, then ssh-keygen -p -f NEWKEY',
    )
  }
  if (text.includes('-----BEGIN ') || !/^[A-Za-z0-9+/=\s]+$/.test(text)) return `${text}\n`
  const decoded = Buffer.from(text, 'base64').toString('utf8')
  return decoded.includes('-----BEGIN ') ? normalize(decoded) : text
}

function parseOpenSsh(text: string, passphrase: string | undefined): ParsedKey {
  const cipher = openSshCipher(text)
  if (cipher === undefined) throw invalid(damaged)
  const isEncrypted = cipher !== 'none'
  if (isEncrypted && passphrase === undefined) throw passphraseMissing()
  const key = parseWithSsh2(text, isEncrypted ? passphrase : undefined)
  if (!(key instanceof Error)) return key
  // "Unsupported state" is how a cipher says that its authentication failed.
  if (/unsupported (?!state)/i.test(key.message)) throw unsupportedContents()
  throw isEncrypted ? passphraseWrong() : invalid(damaged)
}

function parsePem(text: string, label: string, passphrase: string | undefined): ParsedKey {
  const isEncrypted = label === 'ENCRYPTED PRIVATE KEY' || /^Proc-Type: 4,ENCRYPTED/m.test(text)
  if (isEncrypted && passphrase === undefined) throw passphraseMissing()
  const key = attempt(() =>
    createPrivateKey({ key: text, ...(isEncrypted && { passphrase: passphrase ?? '' }) }),
  )
  if (key instanceof Error) throw isEncrypted ? passphraseWrong() : invalid(damaged)
  const written = attempt(() => toSsh2Text(key))
  const parsed = written instanceof Error ? written : parseWithSsh2(written)
  if (parsed instanceof Error) throw unsupportedContents()
  return parsed
}

function toSsh2Text(key: KeyObject): string {
  const type = key.asymmetricKeyType
  if (type === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString()
  if (type === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString()
  if (type === 'ed25519') return toOpenSshEd25519(key)
  throw new Error('no SSH key type')
}

function parseWithSsh2(text: string, passphrase?: string): ParsedKey | Error {
  const parsed = attempt(() => ssh2.utils.parseKey(text, passphrase))
  const key = [parsed].flat()[0] // an OpenSSH container comes as a list of one, whatever the type says
  if (key === undefined || key instanceof Error) return key ?? new Error('no key')
  return key.isPrivateKey() ? key : new Error('no private half')
}

function attempt<T>(parse: () => T): T | Error {
  try {
    return parse()
  } catch (error) {
    return error instanceof Error ? error : new Error('unreadable')
  }
}

function unsupported(what: string, line: string): SpecError {
  return new SpecError(`Cannot use the private key: it is ${what}, replace it with: ${line}`, {
    reason: 'KeyFormatUnsupported',
  })
}

function unsupportedContents(): SpecError {
  return unsupported('in a format or of a type that is not supported', 'ssh-keygen -p -f KEY')
}

function passphraseWrong(): SpecError {
  return new SpecError(
    'Cannot use the private key: its passphrase does not open it, correct "passphrase" in the Secret or the --passphrase-file',
    {
      reason: 'KeyPassphraseWrong',
    },
  )
}

function passphraseMissing(): SpecError {
  return new SpecError(
    'Cannot use the private key: it is encrypted, add its "passphrase" to the Secret or give --passphrase-file',
    { reason: 'KeyPassphraseMissing' },
  )
}

function invalid(state: string): SpecError {
  return new SpecError(`Cannot use the private key: ${state}`, { reason: 'KeyInvalid' })
}
