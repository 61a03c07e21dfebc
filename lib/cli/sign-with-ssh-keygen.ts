// Signing is left to ssh-keygen: it knows key files and their passphrases, agents, certificates and security keys, and asks
// whoever sits at the terminal.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../errors/config-error.ts'
import { SpecError } from '../errors/spec-error.ts'

/** Armored, over exactly these bytes. */
export type Sign = (namespace: string, message: string) => Promise<string>

/** Somebody has to find a key and touch it. */
const patienceMs = 300_000
const longestOutput = 65_536

/** `key`: a private key, or a public key or certificate whose other half an agent or a file beside it holds. */
export function signWithSshKeygen(key: string): Sign {
  if (!existsSync(key)) {
    throw new SpecError(
      `Cannot sign with "${key}": there is no such file, give a private key, or a public key whose other half an agent holds`,
      { reason: 'FileUnreadable' },
    )
  }
  const kind = kindOf(key)
  return (namespace, message) =>
    new Promise((done, failed) => {
      const args = ['-Y', 'sign', '-q', '-f', resolve(key), '-n', namespace]
      const child = spawn('ssh-keygen', args, { stdio: ['pipe', 'pipe', 'inherit'], timeout: patienceMs })
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.length > longestOutput) child.kill()
      })
      // It may end before it has read everything: how it ended says why.
      child.stdin.on('error', () => undefined)
      child.on('error', () => failed(noSshKeygen()))
      child.on('close', (code) => {
        if (code === 0) done(output)
        else failed(notSigned(key, kind, code))
      })
      child.stdin.end(message)
    })
}

/** ssh-keygen itself calls a file that is no key a missing one. Throws SpecError (FileUnreadable, KeyInvalid). */
function kindOf(key: string): 'private' | 'public' {
  const text = textOf(key)
  if (text.startsWith('-----BEGIN ')) return 'private'
  if (/^(ssh|ecdsa|sk)-\S+ AAAA/.test(text)) return 'public'
  throw new SpecError(
    `Cannot sign with "${key}": it is no key of OpenSSH, give a private key, or a public key whose other half an agent holds`,
    { reason: 'KeyInvalid' },
  )
}

function textOf(key: string): string {
  try {
    return readFileSync(key, 'utf8')
  } catch (error) {
    throw new SpecError(`Cannot sign with "${key}": it cannot be read, give the file of a key`, {
      reason: 'FileUnreadable',
      cause: error,
    })
  }
}

function notSigned(key: string, kind: 'private' | 'public', code: number | null): SpecError {
  const how = code === null ? 'was ended after five minutes' : `ended with code ${code}`
  const more = kind === 'public' ? '; a public key needs an agent that holds its other half' : ''
  return new SpecError(`Cannot sign with "${key}": ssh-keygen ${how}, what it said above tells why${more}`, {
    reason: 'SigningFailed',
  })
}

function noSshKeygen(): ConfigError {
  return new ConfigError('Cannot sign: there is no ssh-keygen here, install OpenSSH 8.1 or later', {
    reason: 'SshKeygenMissing',
  })
}
