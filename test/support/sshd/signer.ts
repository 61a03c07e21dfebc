// An offline key, as an operator has one, and what it signs: with the real ssh-keygen.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunRequest } from '../../../lib/execution/ports.ts'
import { scriptDigest } from '../../../lib/profile/manifest/check-manifest.ts'
import { writeManifest, type Manifest } from '../../../lib/profile/manifest/manifest.ts'

export interface Signer {
  /** As in authorized_keys. */
  readonly publicKey: string
  readonly keyFile: string
  /** Armored. */
  sign(text: string, namespace: string): string
}

type Cleanup = { after(callback: () => void): void }

export function aSigner(test: Cleanup): Signer {
  const folder = mkdtempSync(join(tmpdir(), 'kpssh-signer-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  const keyFile = join(folder, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'signer', '-f', keyFile])
  return signerOf(keyFile, `${keyFile}.pub`)
}

/** The same key with the certificate that lies beside it. */
export function certified({ keyFile }: Signer): Signer {
  return signerOf(keyFile, `${keyFile}-cert.pub`)
}

function signerOf(keyFile: string, publicFile: string): Signer {
  const signing = publicFile.endsWith('-cert.pub') ? publicFile : keyFile
  return {
    publicKey: readFileSync(publicFile, 'utf8').trim(),
    keyFile,
    sign: (text, namespace) =>
      execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', signing, '-n', namespace], {
        input: text,
        stdio: ['pipe', 'pipe', 'ignore'],
      }).toString(),
  }
}

const dayMs = 24 * 3600 * 1000

/** What a manifest of this run would say, valid now, allowing the run's own parameters any printable value. */
export function aManifest(run: RunRequest, more: Partial<Manifest> = {}): Manifest {
  const [profile = '', version = '1'] = run.profile.split('@')
  const today = Math.floor(Date.now() / dayMs) * dayMs
  return {
    profile,
    version,
    phase: run.phase,
    scriptSha256: scriptDigest(run.script),
    serial: 1,
    notBeforeMs: today - dayMs,
    notAfterMs: today + 30 * dayMs,
    params: Object.keys(run.environment).map((name) => ({ name, pattern: '.*' })),
    ...more,
  }
}

/** The run with its manifest, and with a signature of its script for hosts that know no other. */
export function signedRun(signer: Signer, run: RunRequest, more: Partial<Manifest> = {}): RunRequest {
  const manifest = writeManifest(aManifest(run, more))
  const signature = signer.sign(manifest, 'kpssh-manifest')
  return {
    ...run,
    signed: { manifest: { manifest, signature }, signature: signer.sign(run.script, 'kpssh') },
  }
}
