// A Verified host: a real sshd whose login gets the shim whatever it asks for, and the shim with its own real bytes.
import { copyFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { RemoteResult, SshTarget } from '../../../lib/execution/ports.ts'
import { makeVerifiedHostRuns } from '../../../lib/execution/verified-host-runs.ts'
import { makeSystemClock } from '../../../lib/adapters/node/clock.ts'
import { makeSystemRandom } from '../../../lib/adapters/node/random.ts'
import { aCommand, aShell, budgets } from './runs-on.ts'
import { aSigner, type Signer } from './signer.ts'
import { anSshHost, type SshHost } from './ssh-host.ts'

export const shimFile = fileURLToPath(new URL('../../../infra/host/kpssh-shim', import.meta.url))

export interface VerifiedHost extends SshHost {
  readonly target: SshTarget & { readonly verified: { readonly shimCommand: string } }
  /** Trusted, for manifests alone. */
  readonly signer: Signer
  /** Whom the host trusts from now on: whole lines of allowed_signers. */
  trust(...lines: readonly string[]): void
  /** Keys that were once trusted, as in authorized_keys. */
  revoke(...publicKeys: readonly string[]): void
  /** What anybody can do who has the login's key: send bytes, and ask for any command. */
  send(envelope: string | Uint8Array, command?: string): Promise<RemoteResult>
}

export const runs = makeVerifiedHostRuns({
  shell: aShell(),
  clock: makeSystemClock(),
  random: makeSystemRandom(),
  budgets,
})

/** What a prepared host says of its login; where the sandbox is, sessions know from their environment. */
const lockedDown = [
  'ForceCommand exec "$KPSSH_ROOT/opt/kpssh/kpssh-shim"',
  'PermitTTY no',
  'DisableForwarding yes',
  'PermitUserRC no',
  'PermitUserEnvironment no',
]

/** Sandboxed hosts of a user who is not root do by the user's own rights what sudo would do. */
const isRoot = userInfo().username === 'root'

export async function aVerifiedHost(test: TestContext): Promise<VerifiedHost> {
  const signer = aSigner(test)
  const shimEnvironment = isRoot ? {} : { KPSSH_SHIM_SUDO: '0' }
  const host = await anSshHost(test, { environment: shimEnvironment, config: lockedDown })
  const shimCommand = join(host.root, 'opt/kpssh/kpssh-shim')
  const settings = join(host.root, 'etc/kpssh')
  mkdirSync(join(host.root, 'opt/kpssh'), { recursive: true })
  mkdirSync(settings, { recursive: true })
  copyFileSync(shimFile, shimCommand)
  chmodSync(shimCommand, 0o755)
  const authorizedKeys = join(host.sshd.folder, 'user_key.pub')
  writeFileSync(authorizedKeys, `restrict,command="${shimCommand}" ${readFileSync(authorizedKeys, 'utf8')}`)
  const target = { ...host.target, verified: { shimCommand } }
  const verified: VerifiedHost = {
    ...host,
    target,
    signer,
    trust: (...lines) => writeFileSync(join(settings, 'allowed_signers'), `${lines.join('\n')}\n`),
    revoke: (...keys) => writeFileSync(join(settings, 'revoked_keys'), `${keys.join('\n')}\n`),
    send: (envelope, command = shimCommand) =>
      aShell().run(target, aCommand(command, { stdin: Buffer.from(envelope) })),
  }
  verified.trust(manifestSigner(signer))
  return verified
}

/** The line of allowed_signers of a host that runs nothing without a manifest. */
export function manifestSigner({ publicKey }: Signer): string {
  return `kpssh namespaces="kpssh-manifest" ${publicKey}`
}

/** The line of a host that was prepared before there were manifests. */
export function scriptSigner({ publicKey }: Signer): string {
  return `kpssh namespaces="kpssh" ${publicKey}`
}
