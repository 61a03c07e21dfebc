// Signing is left to ssh-keygen: it knows key files and their passphrases, agents, certificates and security keys, and asks
// whoever sits at the terminal.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
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
        else failed(notSigned(key, code))
      })
      child.stdin.end(message)
    })
}

function notSigned(key: string, code: number | null): SpecError {
  const how = code === null ? 'was ended after five minutes' : `ended with code ${code}`
  return new SpecError(
    `Cannot sign with "${key}": ssh-keygen ${how}, what it said above tells why; a public key needs an agent that holds its other half`,
    { reason: 'SigningFailed' },
  )
}

function noSshKeygen(): ConfigError {
  return new ConfigError('Cannot sign: there is no ssh-keygen here, install OpenSSH 8.1 or later', {
    reason: 'SshKeygenMissing',
  })
}
