// sshd of a demo host: one key for whoever logs in, real bash for whatever they run. As with a real sshd, what a session
// started goes on when its connection ends.
import { spawn } from 'node:child_process'
import { createServer, type Server, type Socket } from 'node:net'
import ssh2, {
  type AuthContext,
  type Connection,
  type ParsedKey,
  type ServerChannel,
  type Session,
} from 'ssh2'

export interface SshServerOptions {
  readonly hostKey: string
  /** Public keys, in OpenSSH's form, that may log in. */
  readonly authorizedKeys: readonly string[]
  readonly environmentOf: (user: string) => Readonly<Record<string, string>>
  readonly directory: string
}

export interface SshServer {
  /** Resolves with the port; 0 takes a free one. */
  listen(port: number): Promise<number>
  /** Cuts every connection and refuses new ones. */
  halt(): Promise<void>
}

export function makeSshServer(options: SshServerOptions): SshServer {
  const authorized = options.authorizedKeys.map(parsedKey)
  const sockets = new Set<Socket>()
  const protocol = new ssh2.Server({ hostKeys: [options.hostKey] }, (connection) =>
    serveLogin(connection, authorized, options),
  )
  let listener: Server | undefined
  return {
    listen: (port) =>
      new Promise((resolve, reject) => {
        const server = createServer((socket) => {
          sockets.add(socket)
          socket.on('close', () => sockets.delete(socket))
          socket.on('error', () => socket.destroy())
          protocol.injectSocket(socket)
        })
        server.once('error', reject)
        server.listen(port, '127.0.0.1', () => {
          listener = server
          const address = server.address()
          resolve(typeof address === 'object' && address !== null ? address.port : port)
        })
      }),
    halt: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        if (listener) listener.close(() => resolve())
        else resolve()
        listener = undefined
      }),
  }
}

function serveLogin(
  connection: Connection,
  authorized: readonly ParsedKey[],
  options: SshServerOptions,
): void {
  let user = ''
  connection.on('error', () => undefined)
  connection.on('authentication', (context) => {
    user = context.username
    if (isAuthorized(context, authorized)) context.accept()
    else context.reject(['publickey'])
  })
  connection.on('session', (accept) => serveSession(accept(), options, () => user))
}

function parsedKey(text: string): ParsedKey {
  const parsed = ssh2.utils.parseKey(text)
  if (parsed instanceof Error) throw parsed
  return parsed
}

function isAuthorized(context: AuthContext, authorized: readonly ParsedKey[]): boolean {
  if (context.method !== 'publickey') return false
  const { key, blob, signature, hashAlgo } = context
  return authorized.some((allowed) => {
    if (allowed.type !== key.algo || !allowed.getPublicSSH().equals(key.data)) return false
    // Without a signature the client only asks whether the key would do.
    if (signature === undefined) return true
    // The library returns an error where its types promise false.
    const verdict: unknown = blob !== undefined && allowed.verify(blob, signature, hashAlgo)
    return verdict === true
  })
}

function serveSession(session: Session, options: SshServerOptions, user: () => string): void {
  session.on('exec', (accept, _reject, { command }) => {
    run(accept(), command, options, user())
  })
  session.on('shell', (_accept, reject) => reject())
  session.on('pty', (_accept, reject) => reject())
  session.on('sftp', (_accept, reject) => reject())
}

// eslint-disable-next-line max-params -- a channel, and what is run on it as whom
function run(channel: ServerChannel, command: string, options: SshServerOptions, user: string): void {
  const child = spawn('/bin/bash', ['-c', command], {
    cwd: options.directory,
    env: { ...options.environmentOf(user) },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A session of its own, so that signals to this process's terminal do not reach it.
    detached: true,
  })
  const ignore = (): void => undefined
  for (const stream of [child.stdin, child.stdout, child.stderr, channel, channel.stderr])
    stream.on('error', ignore)
  channel.pipe(child.stdin)
  child.stdout.pipe(channel, { end: false })
  child.stderr.pipe(channel.stderr, { end: false })
  child.on('error', () => channel.close())
  // Whoever still writes when the connection is gone hears it, as from a real sshd.
  channel.on('close', () => {
    child.stdout.destroy()
    child.stderr.destroy()
  })
  child.on('close', (code, signal) => {
    if (!channel.writable) return
    if (code === null) channel.exit(signal?.replace(/^SIG/, '') ?? 'KILL', false, '')
    else channel.exit(code)
    channel.end()
  })
}
