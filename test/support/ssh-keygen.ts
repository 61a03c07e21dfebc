// The real ssh-keygen, in a folder of its own.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface KeygenFolder {
  readonly path: string
  write(name: string, content: string | Buffer): string
  read(name: string): string
  /** stdout of ssh-keygen; throws with what it said if it fails. */
  run(args: readonly string[], input?: string | Buffer): string
  /** A private key file and, beside it, its .pub. */
  makeKey(name: string, args: readonly string[]): { readonly file: string; readonly line: string }
  sign(keyFile: string, namespace: string, message: string | Buffer): string
  /** As hosts do: whether it accepts, and what it said. */
  verify(question: VerifyQuestion): { readonly isAccepted: boolean; readonly said: string }
  remove(): void
}

export interface VerifyQuestion {
  readonly allowedSigners: string
  readonly armor: string
  readonly message: string | Buffer
  readonly namespace: string
  readonly principal?: string
}

export function makeKeygenFolder(): KeygenFolder {
  const path = mkdtempSync(join(tmpdir(), 'kpssh-keygen-'))
  const inside = (name: string) => join(path, name)
  const write = (name: string, content: string | Buffer): string => {
    writeFileSync(inside(name), content, { mode: 0o600 })
    return inside(name)
  }
  const run = (args: readonly string[], input: string | Buffer = ''): string =>
    execFileSync('ssh-keygen', args, { cwd: path, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] })
  return {
    path,
    write,
    run,
    read: (name) => readFileSync(inside(name), 'utf8'),
    makeKey(name, args) {
      run(['-q', '-N', '', '-C', name, '-f', inside(name), ...args])
      return { file: inside(name), line: readFileSync(inside(`${name}.pub`), 'utf8').trim() }
    },
    sign: (keyFile, namespace, message) => run(['-Y', 'sign', '-q', '-f', keyFile, '-n', namespace], message),
    verify({ allowedSigners, armor, message, namespace, principal = 'kpssh' }) {
      const allowed = write('allowed_signers', allowedSigners)
      const signature = write('signature', armor)
      const { status, stdout, stderr } = spawnSync(
        'ssh-keygen',
        ['-Y', 'verify', '-f', allowed, '-I', principal, '-n', namespace, '-s', signature],
        { input: message, encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } },
      )
      return { isAccepted: status === 0, said: stdout + stderr }
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
