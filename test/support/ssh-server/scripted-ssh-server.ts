// An SSH server in this process that does what a test tells it to, for everything a healthy sshd never does.
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import ssh2 from 'ssh2'
import type { AuthContext, Connection, ServerChannel } from 'ssh2'
import { toOpenSshEd25519 } from '../../../lib/adapters/ssh/openssh-key-container.ts'
import type { SshTarget } from '../../../lib/execution/ports.ts'

export interface Exec {
  readonly channel: ServerChannel
  readonly command: string
  readonly connection: Connection
  readonly socket: Socket
}

export interface ServerScript {
  /** What to do with a fresh connection. `serve` hands it to SSH. */
  readonly onSocket?: (socket: Socket, serve: () => void, count: number) => void
  readonly onAuth?: (context: AuthContext) => void
  /** Return false to refuse the session. */
  readonly onSession?: () => boolean
  readonly onExec?: (exec: Exec) => void
  readonly refusesExec?: boolean
  /** Neither accepts nor refuses commands. */
  readonly ignoresExec?: boolean
  readonly onConnection?: (connection: Connection) => void
  /** PEM or OpenSSH text; one ed25519 key by default. */
  readonly hostKeys?: readonly string[]
  readonly kex?: readonly string[]
  readonly compress?: readonly string[]
}

export interface ScriptedSshServer {
  readonly target: SshTarget
  /** What the server has seen so far. */
  readonly seen: {
    connections: number
    auths: number
    sessions: number
    commands: string[]
    openSockets: number
  }
}

export function anSshKey(): string {
  return toOpenSshEd25519(generateKeyPairSync('ed25519').privateKey)
}

export async function aScriptedSshServer(
  test: TestContext,
  script: ServerScript = {},
): Promise<ScriptedSshServer> {
  const seen: ScriptedSshServer['seen'] = {
    connections: 0,
    auths: 0,
    sessions: 0,
    commands: [],
    openSockets: 0,
  }
  const sockets = new Set<Socket>()
  const { kex, compress } = script
  const algorithms = {
    ...(kex && { kex: [...kex] as never }),
    ...(compress && { compress: [...compress] as never }),
  }
  const serverOf = (socket: Socket) =>
    new ssh2.Server({ hostKeys: [...(script.hostKeys ?? [anSshKey()])], algorithms }, (connection) => {
      connection.on('error', () => undefined)
      script.onConnection?.(connection)
      connection.on('authentication', (context) => {
        seen.auths += 1
        if (script.onAuth) script.onAuth(context)
        else context.accept()
      })
      connection.on('session', (accept, reject) => {
        seen.sessions += 1
        if (script.onSession?.() === false) {
          reject()
          return
        }
        accept().on('exec', (acceptExec, rejectExec, { command }) => {
          seen.commands.push(command)
          if (script.ignoresExec === true) return
          if (script.refusesExec === true) rejectExec()
          else (script.onExec ?? ok)({ channel: acceptExec(), command, connection, socket })
        })
      })
    })
  const server = createServer((socket) => {
    seen.connections += 1
    seen.openSockets += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      seen.openSockets -= 1
      sockets.delete(socket)
    })
    const serve = () => serverOf(socket).injectSocket(socket)
    if (script.onSocket) script.onSocket(socket, serve, seen.connections)
    else serve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const key = anSshKey()
  return {
    seen,
    target: {
      label: 'host-a',
      address: '127.0.0.1',
      port,
      user: 'root',
      privateKey: { reveal: () => key },
      pins: [],
    },
  }
}

function ok({ channel }: Exec): void {
  channel.resume()
  channel.exit(0)
  channel.end()
}
