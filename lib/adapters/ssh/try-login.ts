// What a login can be talked into, one thing for each connection: for whoever must prove that it can do next to nothing.
import { randomBytes } from 'node:crypto'
import type { Client, ClientChannel } from 'ssh2'
import type { Clock, Random } from '../../ambient/ports.ts'
import type { SshTarget } from '../../execution/ports.ts'
import { checkTarget } from './check-target.ts'
import { giveUp } from './give-up.ts'
import { parsePrivateKey } from './private-key.ts'
import { connectAsPinned } from './ssh-remote-shell.ts'

export type LoginAttempt =
  | { readonly kind: 'exec'; readonly command: string; readonly stdin: Uint8Array }
  | { readonly kind: 'shell'; readonly stdin: Uint8Array }
  | { readonly kind: 'subsystem'; readonly name: string; readonly stdin: Uint8Array }
  | { readonly kind: 'environment'; readonly name: string; readonly value: string }
  | { readonly kind: 'terminal' | 'agent' | 'x11' }
  /** A connection through the host. */
  | { readonly kind: 'connect'; readonly port: number }
  /** A port, or a socket, on the host. */
  | { readonly kind: 'listen' | 'listen-socket' }

export type LoginObservation =
  | { readonly kind: 'granted' }
  | { readonly kind: 'refused'; readonly said: string }
  /** Something ran and ended. */
  | { readonly kind: 'ran'; readonly exitCode?: number; readonly stdout: string; readonly stderr: string }
  /** Nothing was known when the time was over. */
  | { readonly kind: 'silent' }

export interface TryLoginOptions {
  readonly clock: Clock
  readonly random: Random
}

const budgets = { connectMs: 15_000, handshakeMs: 20_000, authMs: 20_000, commandMs: 20_000 }
const keepaliveMs = 15_000
const keptBytes = 16 * 1024
/** What RFC 4254 calls it when a server did not want to, rather than could not. */
const prohibited = 1

/** Throws as RemoteShell does where nobody can log in at all. */
export async function tryLogin(
  options: TryLoginOptions,
  target: SshTarget,
  attempt: LoginAttempt,
): Promise<LoginObservation> {
  checkTarget(target)
  const key = parsePrivateKey(target.privateKey, target.passphrase)
  const command = { command: '', stdin: new Uint8Array(), maxOutputBytes: 0, budgets }
  // Nobody answers there, and nobody has to: it is the request that counts.
  const agent = '/nonexistent/kpssh-agent'
  const connection = await connectAsPinned({ ...options, keepaliveMs, agent }, key, { target, command })
  const over = new AbortController()
  try {
    const { client } = connection
    const outcome = new Promise<LoginObservation>((resolve) => {
      client.once('close', () => resolve({ kind: 'refused', said: 'the connection was closed' }))
      carryOut(client, attempt, resolve)
    })
    const silence = options.clock
      .wait(budgets.commandMs, over.signal)
      .then((): LoginObservation => ({ kind: 'silent' }))
    return await Promise.race([outcome, silence])
  } finally {
    giveUp(over)
    await connection.close()
  }
}

type Tell = (observation: LoginObservation) => void

function carryOut(client: Client, attempt: LoginAttempt, tell: Tell): void {
  const whatRuns = (stdin: Uint8Array) => (error: Error | undefined, channel: ClientChannel) =>
    error === undefined ? collect(channel, stdin, tell) : tell(refused(error))
  const whetherGranted = (error?: Error | null) =>
    tell(error === undefined || error === null ? { kind: 'granted' } : refused(error))
  switch (attempt.kind) {
    case 'exec':
      client.exec(attempt.command, whatRuns(attempt.stdin))
      break
    case 'shell':
      client.shell(false, whatRuns(attempt.stdin))
      break
    case 'subsystem':
      client.subsys(attempt.name, whatRuns(attempt.stdin))
      break
    case 'terminal':
      client.exec('true', { pty: true }, whetherGranted)
      break
    case 'agent':
      client.exec('true', { agentForward: true } as object, whetherGranted)
      break
    case 'x11':
      client.exec('true', { x11: true }, whetherGranted)
      break
    case 'environment':
      setVariable(client, attempt, tell)
      break
    case 'connect':
      client.forwardOut('127.0.0.1', 0, '127.0.0.1', attempt.port, (error) => {
        const isOurs = error !== undefined && (error as { reason?: unknown }).reason !== prohibited
        whetherGranted(isOurs ? undefined : error)
      })
      break
    case 'listen':
      client.forwardIn('127.0.0.1', 0, whetherGranted)
      break
    case 'listen-socket':
      listenOnSocket(client, whetherGranted)
  }
}

/** sshd leaves the socket behind: it is removed where that is possible, which is where commands run. */
function listenOnSocket(client: Client, tell: (error?: Error | null) => void): void {
  const path = `/tmp/kpssh-check-${randomBytes(8).toString('hex')}`
  client.openssh_forwardInStreamLocal(path, (error) => {
    if (error instanceof Error) {
      tell(error)
      return
    }
    client.exec(`rm -f ${path}`, (_, channel: ClientChannel | undefined) => {
      if (channel === undefined) tell()
      else collect(channel, new Uint8Array(), () => tell())
    })
  })
}

/** Of all that ask for a channel, only sftp tells whether a variable was taken. */
function setVariable(client: Client, { name, value }: { name: string; value: string }, tell: Tell): void {
  const sftp = client.sftp.bind(client) as unknown as (
    environment: Readonly<Record<string, string>>,
    callback: (error?: Error) => void,
  ) => void
  sftp({ [name]: value }, (error) => {
    tell(error?.message === 'Unable to set environment' ? refused(error) : { kind: 'granted' })
  })
}

function refused(error: Error): LoginObservation {
  return { kind: 'refused', said: error.message.slice(0, keptBytes) }
}

function collect(channel: ClientChannel, stdin: Uint8Array, tell: Tell): void {
  const kept = { stdout: '', stderr: '' }
  const keep = (stream: 'stdout' | 'stderr') => (chunk: Buffer) => {
    kept[stream] = (kept[stream] + chunk.toString('utf8')).slice(0, keptBytes)
  }
  let exitCode: number | undefined
  channel.on('data', keep('stdout'))
  channel.stderr.on('data', keep('stderr'))
  channel.on('exit', (code: number | null) => (exitCode = code ?? undefined))
  channel.on('error', () => undefined)
  channel.on('close', () => tell({ kind: 'ran', ...(exitCode !== undefined && { exitCode }), ...kept }))
  channel.end(Buffer.from(stdin))
}
