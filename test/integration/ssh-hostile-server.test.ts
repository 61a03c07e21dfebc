// Servers that mean harm, or are no SSH servers at all: each contact ends within its budgets, and what they send is neither kept
// nor believed.
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type { Connection } from 'ssh2'
import ssh2 from 'ssh2'
import { toOpenSshEd25519 } from '../../lib/adapters/ssh/openssh-key-container.ts'
import { ControlPlaneError } from '../../lib/errors/control-plane-error.ts'
import type { RemoteCommand, SshTarget } from '../../lib/execution/ports.ts'
import {
  aScriptedSshServer,
  type Exec,
  type ServerScript,
} from '../support/ssh-server/scripted-ssh-server.ts'
import { aCommand, aShell, budgets } from '../support/sshd/runs-on.ts'

const short = { connectMs: 500, handshakeMs: 500, authMs: 500, commandMs: 800 }

/** Writes as fast as the other side reads, until it hangs up. */
function flood(socket: Socket, chunk: Buffer | string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

function drip(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 20)
  socket.on('close', () => clearInterval(timer))
}

async function reasonOf(target: SshTarget, more: Partial<RemoteCommand> = {}): Promise<string | undefined> {
  const error: unknown = await aShell()
    .run(target, aCommand('true', { budgets: short, ...more }))
    .then(
      ({ reason }) => assert.fail(`it ended with ${reason}`),
      (thrown: unknown) => thrown,
    )
  assert.ok(error instanceof ControlPlaneError, String(error))
  assert.ok(error.message.length < 1000)
  assert.doesNotMatch(error.message, /\p{Cc}/u)
  return error.reason
}

/** What ssh2 keeps to itself and a hostile server needs. */
interface Inner {
  readonly _kex: { readonly sessionID: Buffer }
  readonly _handlers: { GLOBAL_REQUEST: (self: Inner, name: string) => void }
  readonly _packetRW: {
    write: { allocStart: number; alloc(length: number): Buffer; finalize(packet: Buffer): Buffer }
  }
  readonly _cipher: { encrypt(packet: Buffer): void }
  rekey(): void
  requestSuccess(data: Buffer): void
  exitStatus(channel: number, code: number): void
  channelData(channel: number, data: Buffer): void
}

function innerOf(connection: Connection): Inner {
  return (connection as unknown as { _protocol: Inner })._protocol
}

/** Sends any packet at all. */
function sendPacket(inner: Inner, payload: Buffer): void {
  const start = inner._packetRW.write.allocStart
  const packet = inner._packetRW.write.alloc(payload.length)
  packet.set(payload, start)
  inner._cipher.encrypt(inner._packetRW.write.finalize(packet))
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

describe('before the login', { concurrency: 4 }, () => {
  const cases: readonly [string, ServerScript, RegExp][] = [
    [
      'lines without end',
      { onSocket: (socket) => flood(socket, 'welcome\r\n'.repeat(1000)) },
      /^HandshakeFailed$/,
    ],
    [
      'one line without end',
      { onSocket: (socket) => flood(socket, 'x'.repeat(65_536)) },
      /^HandshakeFailed$/,
    ],
    ['a byte now and then', { onSocket: (socket) => drip(socket, 'x') }, /^HandshakeTimeout$/],
    [
      'a banner, letter by letter',
      { onSocket: (socket) => drip(socket, 'SSH-2.0-') },
      /^Handshake(Timeout|Failed)$/,
    ],
    [
      'a web page',
      { onSocket: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') },
      /^ClosedBeforeBanner$/,
    ],
    [
      'a banner and then noise',
      {
        onSocket: (socket) =>
          flood(socket, Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), randomBytes(65_536)])),
      },
      /^HandshakeFailed$/,
    ],
    [
      'a banner and a packet of four gigabytes',
      {
        onSocket: (socket) =>
          flood(socket, Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.alloc(65_536, 255)])),
      },
      /^HandshakeFailed$/,
    ],
    [
      'a banner and nothing more',
      { onSocket: (socket) => void socket.write('SSH-2.0-x\r\n') },
      /^HandshakeTimeout$/,
    ],
  ]
  for (const [what, script, reason] of cases) {
    it(`a server that sends ${what} is left`, async (test) => {
      const server = await aScriptedSshServer(test, script)
      assert.match((await reasonOf(server.target)) ?? '', reason)
    })
  }

  it('a server that sends messages without end while we log in is left', async (test) => {
    const server = await aScriptedSshServer(test, {
      onAuth: () => undefined,
      onConnection: (connection) => connection.once('authentication', () => ignoreWithoutEnd(connection)),
    })
    assert.equal(await reasonOf(server.target, { budgets }), 'ServerFloods')
  })

  it('what a server calls its methods gets into no message', async (test) => {
    const methods = [
      '\u001b[2J',
      'x'.repeat(5000),
      ...Array.from({ length: 200 }, (_, index) => `method-${index}`),
    ]
    const server = await aScriptedSshServer(test, {
      onAuth: (context) => context.reject(methods as never, true),
    })
    assert.equal(await reasonOf(server.target), 'InteractiveAuthRequired')
  })
})

/** SSH_MSG_IGNORE, as often as it can. */
function ignoreWithoutEnd(connection: Connection): void {
  const packet = Buffer.concat([Buffer.from([2]), text(Buffer.alloc(30_000))])
  const timer = setInterval(() => {
    for (let count = 0; count < 20; count++) sendPacket(innerOf(connection), packet)
  }, 1)
  connection.on('close', () => clearInterval(timer))
}

describe('after the login', { concurrency: 4 }, () => {
  it('a server that never lets a session begin is left', async (test) => {
    const server = await aScriptedSshServer(test, { ignoresExec: true })
    assert.equal(await reasonOf(server.target), 'ChannelTimeout')
  })

  it('a server that asks for new keys all the time does not keep us', async (test) => {
    const server = await aScriptedSshServer(test, {
      onExec({ connection, channel }) {
        const inner = innerOf(connection)
        const timer = setInterval(() => {
          try {
            inner.rekey()
          } catch {
            // it is at it already
          }
        }, 1)
        channel.on('close', () => clearInterval(timer))
        connection.on('close', () => clearInterval(timer))
      },
    })
    const { reason, exitCode } = await aShell().run(server.target, aCommand('true', { budgets: short }))
    assert.ok(reason === 'timed-out' || reason === 'disconnected', reason)
    assert.equal(exitCode, undefined)
  })

  it('many exit codes: the channel ends with one of them, and is not taken for two', async (test) => {
    const server = await aScriptedSshServer(test, {
      onExec({ channel, connection }) {
        const { outgoing } = channel as unknown as { outgoing: { id: number } }
        for (let code = 1; code < 1000; code++) innerOf(connection).exitStatus(outgoing.id, code % 256)
        channel.end()
      },
    })
    const { reason } = await aShell().run(server.target, aCommand('true', { budgets: short }))
    assert.equal(reason, 'exited')
  })

  it('output after the end of the channel reaches nobody and harms nobody', async (test) => {
    const server = await aScriptedSshServer(test, {
      onExec({ channel, connection }) {
        const { outgoing } = channel as unknown as { outgoing: { id: number } }
        channel.exit(0)
        channel.end()
        channel.close()
        const timer = setInterval(() => {
          try {
            innerOf(connection).channelData(outgoing.id, Buffer.alloc(1000, 'x'))
          } catch {
            clearInterval(timer)
          }
        }, 1)
        connection.on('close', () => clearInterval(timer))
      },
    })
    const { exitCode, stdout } = await aShell().run(server.target, aCommand('true', { budgets: short }))
    assert.equal(exitCode, 0)
    assert.equal(stdout, '')
  })

  it('a server whose window stays shut takes no more of our time than the command may', async (test) => {
    const server = await aScriptedSshServer(test, { onExec: ({ channel }) => void channel.pause() })
    const stdin = new Uint8Array(8_000_000)
    const { reason } = await aShell().run(server.target, aCommand('cat', { stdin, budgets: short }))
    assert.equal(reason, 'timed-out')
  })

  for (const [what, onExec] of floods()) {
    it(`a server that sends ${what} without end is left`, async (test) => {
      const server = await aScriptedSshServer(test, { onExec })
      const command = aCommand('true', {
        maxReceivedBytes: 4_000_000,
        budgets: { ...budgets, commandMs: 20_000 },
      })
      const { reason, exitCode } = await aShell().run(server.target, command)
      assert.equal(reason, 'output-limit')
      assert.equal(exitCode, undefined)
    })
  }

  it('no more than eight keys of a server are learned, whatever it proves to have', async (test) => {
    const { hostKeys } = await contactKeyForge(test, 300)
    assert.equal(hostKeys.length, 8)
  })

  it('knows a server that packs what it sends', async (test) => {
    const server = await aScriptedSshServer(test, { compress: ['zlib@openssh.com'] })
    assert.equal(await reasonOf(server.target), 'HandshakeFailed')
  })
})

function floods(): readonly [string, (exec: Exec) => void][] {
  return [
    ['output', ({ channel }) => flood(channel as unknown as Socket, Buffer.alloc(30_000, 'x'))],
    ['errors', ({ channel }) => flood(channel.stderr as unknown as Socket, Buffer.alloc(30_000, 'x'))],
    [
      'output after the status',
      ({ channel }) => {
        channel.exit(0)
        flood(channel as unknown as Socket, Buffer.alloc(30_000, 'x'))
      },
    ],
    ['nothing that is for us', ({ connection }) => ignoreWithoutEnd(connection)],
  ]
}

/** A server that says, and proves, that it has that many host keys. */
async function contactKeyForge(test: TestContext, count: number) {
  const keys = Array.from({ length: count }, () => generateKeyPairSync('ed25519').privateKey)
  const blobs = keys.map((key) => {
    const parsed = [ssh2.utils.parseKey(toOpenSshEd25519(key))].flat()[0]
    assert.ok(parsed !== undefined && !(parsed instanceof Error))
    return parsed.getPublicSSH()
  })
  const server = await aScriptedSshServer(test, {
    onExec({ channel, connection }) {
      const inner = innerOf(connection)
      inner._handlers.GLOBAL_REQUEST = (self, name) => {
        if (name !== 'hostkeys-prove-00@openssh.com') return
        const proofs = keys.map((key, index) => {
          const proven = Buffer.concat([text(name), text(self._kex.sessionID), text(blobs[index] ?? '')])
          return text(Buffer.concat([text('ssh-ed25519'), text(sign(null, proven, key))]))
        })
        self.requestSuccess(Buffer.concat(proofs))
        channel.exit(0)
        channel.end()
      }
      const request = [
        Buffer.from([80]),
        text('hostkeys-00@openssh.com'),
        Buffer.from([0]),
        ...blobs.map(text),
      ]
      sendPacket(inner, Buffer.concat(request))
    },
  })
  return aShell().run(server.target, aCommand('true', { budgets }))
}
