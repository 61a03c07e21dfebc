// A real OpenSSH sshd of our own: its own port, keys and configuration in a folder of its own. It never touches the
// system's service, and whoever starts it stops it.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type SshKeyType = 'ed25519' | 'ecdsa' | 'rsa'

export interface PrivateSshdOptions {
  readonly folder: string
  readonly listenAddress?: string
  readonly hostKeyTypes?: readonly SshKeyType[]
  /** More lines of sshd_config. `SetEnv` may be given once only: use `environment`. */
  readonly config?: readonly string[]
  /** Set in every session. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface PrivateSshd {
  readonly port: number
  readonly folder: string
  /** Text of a private key that root's account accepts. */
  readonly privateKey: string
  readonly privateKeyFile: string
  /** known_hosts style public keys, by type. */
  readonly hostPublicKeys: Readonly<Partial<Record<SshKeyType, string>>>
  readonly pid: number
  stop(): Promise<void>
}

export async function startPrivateSshd(options: PrivateSshdOptions): Promise<PrivateSshd> {
  const { folder, listenAddress = '127.0.0.1', hostKeyTypes = ['ed25519'] } = options
  mkdirSync(join(folder, 'home'), { recursive: true, mode: 0o700 })
  // sshd's own empty directory for its unprivileged half, which it has only as root.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  makeKey(join(folder, 'user_key'), 'ed25519')
  for (const type of hostKeyTypes) makeKey(join(folder, `host_${type}`), type)
  const port = await freePort()
  writeFileSync(join(folder, 'sshd_config'), toConfig({ ...options, hostKeyTypes }, port, listenAddress))
  const daemon = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  daemon.stderr.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(-4000)))
  const ended = new Promise<void>((resolve) => daemon.once('exit', () => resolve()))
  const host = listenAddress === '0.0.0.0' ? '127.0.0.1' : listenAddress
  await untilListening({ host, port }, () => daemon.exitCode !== null && `sshd ended: ${said}`)
  return {
    port,
    folder,
    privateKey: readFileSync(join(folder, 'user_key'), 'utf8'),
    privateKeyFile: join(folder, 'user_key'),
    hostPublicKeys: Object.fromEntries(
      hostKeyTypes.map((type) => [type, readFileSync(join(folder, `host_${type}.pub`), 'utf8').trim()]),
    ),
    pid: daemon.pid ?? 0,
    async stop() {
      daemon.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makeKey(file: string, type: SshKeyType): void {
  const bits = type === 'rsa' ? ['-b', '2048'] : []
  execFileSync('ssh-keygen', ['-q', '-t', type, ...bits, '-N', '', '-C', 'kpssh', '-f', file])
}

function toConfig(options: PrivateSshdOptions, port: number, listenAddress: string): string {
  const { folder, hostKeyTypes = [], environment = {} } = options
  const variables = Object.entries({ HOME: join(folder, 'home'), ...environment })
  return [
    ...(options.config ?? []),
    `Port ${String(port)}`,
    `ListenAddress ${listenAddress}`,
    ...hostKeyTypes.map((type) => `HostKey ${join(folder, `host_${type}`)}`),
    `AuthorizedKeysFile ${join(folder, 'user_key.pub')}`,
    `SetEnv ${variables.map(([name, value]) => `${name}=${value}`).join(' ')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin yes',
    'MaxStartups 1000',
    'LogLevel ERROR',
    '',
  ].join('\n')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return typeof address === 'object' && address !== null ? address.port : 0
}

interface Door {
  readonly host: string
  readonly port: number
}

async function untilListening(door: Door, failure: () => string | false): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const problem = failure()
    if (problem !== false) throw new Error(problem)
    if (await canConnect(door)) return
    await sleep(10)
  }
  throw new Error(`Cannot start sshd: port ${String(door.port)} stays closed, it should open within 5 s`)
}

function canConnect(door: Door): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(door)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
