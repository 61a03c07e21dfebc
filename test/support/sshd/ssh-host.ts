// A host for tests: a real sshd of its own, whose sessions see a sandbox as the place of /var/lib and /run. Nothing of the
// machine's is touched, and tests may run side by side.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  startPrivateSshd,
  type PrivateSshd,
  type PrivateSshdOptions,
} from '../../../infra/bench/private-sshd.ts'
import type { SshTarget } from '../../../lib/execution/ports.ts'
import type { HostKeyPin } from '../../../lib/hosts/host-record.ts'

/** Given to `describe` as options: says what is missing where there is no sshd. */
export const needsSshd = existsSync('/usr/sbin/sshd')
  ? {}
  : { skip: 'needs /usr/sbin/sshd, install openssh-server' }

export interface SshHost {
  readonly sshd: PrivateSshd
  readonly target: SshTarget
  /** What KPSSH_ROOT names. */
  readonly root: string
  withPins(pins: readonly HostKeyPin[]): SshTarget
  /** A file below the root; empty text if there is none. */
  read(path: string): string
  /** Names in a folder below the root; none if there is none. */
  list(path: string): string[]
  /** As a reboot does: what is in memory is gone, and the kernel has another boot id. */
  reboot(): void
  /** Puts a command first on the PATH of every session. */
  stub(name: string, script: string): void
  /** What the login shell runs before anything else. */
  greet(script: string): void
}

export interface SshHostOptions extends Pick<
  PrivateSshdOptions,
  'config' | 'hostKeyTypes' | 'listenAddress'
> {
  readonly label?: string
  /** Set in every session, beside what makes the sandbox. */
  readonly environment?: Readonly<Record<string, string>>
}

export async function anSshHost(test: TestContext, options: SshHostOptions = {}): Promise<SshHost> {
  const folder = mkdtempSync(join(tmpdir(), 'kpssh-test-'))
  const root = join(folder, 'root')
  const bin = join(folder, 'bin')
  for (const part of ['run', 'var/lib', 'proc/sys/kernel/random'])
    mkdirSync(join(root, part), { recursive: true })
  mkdirSync(bin)
  const environment = {
    ...options.environment,
    KPSSH_ROOT: root,
    PATH: `${bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
  }
  const sshd = await startPrivateSshd({ ...options, folder, environment })
  test.after(() => sshd.stop())
  const target = {
    label: options.label ?? 'host-a',
    address: '127.0.0.1',
    port: sshd.port,
    user: userInfo().username,
    privateKey: { reveal: () => sshd.privateKey },
    pins: [],
  }
  const host: SshHost = {
    sshd,
    target,
    root,
    withPins: (pins) => ({ ...target, pins }),
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''),
    list: (path) => (existsSync(join(root, path)) ? readdirSync(join(root, path)).sort() : []),
    reboot() {
      rmSync(join(root, 'run/kpssh'), { recursive: true, force: true })
      writeFileSync(
        join(root, 'proc/sys/kernel/random/boot_id'),
        `rebooted-${String(performance.now() | 0)}\n`,
      )
    },
    stub(name, script) {
      writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 })
    },
    greet(script) {
      writeFileSync(join(folder, 'home/.bashrc'), script)
    },
  }
  // Where tests do not run as root, what sudo would do is done by the user's own rights in the sandbox.
  if (target.user !== 'root') host.stub('sudo', 'shift; exec "$@"')
  return host
}
