// What comes out of a command that was started: always a result, drained, bounded, and never more certain than it is.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerChannel } from 'ssh2'
import {
  aScriptedSshServer,
  type Exec,
  type ServerScript,
} from '../support/ssh-server/scripted-ssh-server.ts'
import { aCommand, aShell, budgets } from '../support/sshd/runs-on.ts'
import { anSshHost, needsSshd } from '../support/sshd/ssh-host.ts'

type OnExec = NonNullable<ServerScript['onExec']>

function close({ channel }: Pick<Exec, 'channel'>): void {
  channel.resume()
  channel.end()
}

/** What RFC 4254 allows and sshd does, but ssh2's own server does not. */
function exitAfterEof(channel: ServerChannel, code: number): void {
  const inner = channel as unknown as {
    _client: { _protocol: { exitStatus(id: number, code: number): void } }
    outgoing: { id: number }
  }
  inner._client._protocol.exitStatus(inner.outgoing.id, code)
}

describe('how a command ended', { concurrency: 4 }, () => {
  const cases: readonly [string, OnExec, object][] = [
    [
      'SSH-15: a channel that closes without a status is no success',
      close,
      { reason: 'disconnected', code: undefined },
    ],
    [
      'SSH-15: a signal is told as such, with no exit code',
      ({ channel }) => {
        channel.exit('KILL', false, '')
        close({ channel })
      },
      { reason: 'signaled', code: undefined, signal: 'SIGKILL' },
    ],
    [
      'SSH-15: status 0 is success',
      ({ channel }) => {
        channel.exit(0)
        close({ channel })
      },
      { reason: 'exited', code: 0 },
    ],
    [
      'SSH-15: a status that comes after the end of output counts',
      ({ channel }) => {
        channel.resume()
        channel.eof()
        setTimeout(() => {
          exitAfterEof(channel, 5)
          channel.close()
        }, 30)
      },
      { reason: 'exited', code: 5 },
    ],
    [
      'SSH-15: a connection cut in the middle is a disconnection',
      ({ channel, socket }) => {
        channel.write('half')
        setTimeout(() => socket.destroy(), 30)
      },
      { reason: 'disconnected', code: undefined },
    ],
    [
      'SSH-12: a reset after the status changes nothing',
      ({ channel, socket }) => {
        channel.exit(0)
        setTimeout(() => socket.resetAndDestroy(), 50)
      },
      { reason: 'exited', code: 0 },
    ],
    [
      'a server that never closes the channel is left once it has been silent after the status',
      ({ channel }) => {
        channel.write('done\n')
        channel.exit(0)
      },
      { reason: 'exited', code: 0 },
    ],
  ]
  for (const [title, onExec, expected] of cases) {
    it(title, async (test) => {
      const server = await aScriptedSshServer(test, { onExec })
      const { reason, exitCode, signal } = await aShell().run(server.target, aCommand('anything'))
      assert.deepEqual({ reason, code: exitCode, ...(signal !== undefined && { signal }) }, expected)
    })
  }

  it('SSH-12: a reset long after the disconnect reaches nobody', async (test) => {
    const server = await aScriptedSshServer(test, {
      onExec({ channel, connection, socket }) {
        connection.on('end', () => setTimeout(() => socket.resetAndDestroy(), 200))
        channel.exit(0)
        close({ channel })
      },
    })
    for (let round = 0; round < 2; round++) {
      assert.equal((await aShell().run(server.target, aCommand('true'))).exitCode, 0)
    }
    await sleep(300)
  })

  it('SSH-10, SSH-40: notices by keepalive that nobody is there any more', async (test) => {
    const server = await aScriptedSshServer(test, {
      onExec: ({ socket }) => void socket.pause().removeAllListeners('data'),
    })
    const startedAt = performance.now()
    const result = await aShell({ keepaliveMs: 100 }).run(server.target, aCommand('sleep 100'))
    assert.equal(result.reason, 'disconnected')
    assert.equal(result.exitCode, undefined)
    assert.ok(performance.now() - startedAt < 5000)
  })

  it('SSH-40: keeps a silent command alive', async (test) => {
    const server = await aScriptedSshServer(test, {
      onExec: ({ channel }) =>
        void sleep(800).then(() => {
          channel.exit(0)
          close({ channel })
        }),
    })
    const result = await aShell({ keepaliveMs: 50 }).run(server.target, aCommand('sleep 0.8'))
    assert.equal(result.exitCode, 0)
  })

  it('ref 21: a command that hangs is left when its budget is spent', async (test) => {
    const server = await aScriptedSshServer(test, { onExec: ({ channel }) => void channel.write('before\n') })
    const startedAt = performance.now()
    const result = await aShell().run(
      server.target,
      aCommand('hang', { budgets: { ...budgets, commandMs: 500 } }),
    )
    assert.equal(result.reason, 'timed-out')
    assert.equal(result.exitCode, undefined)
    assert.equal(result.stdout, 'before\n')
    assert.ok(performance.now() - startedAt < 2000)
  })

  it('can be cancelled while it runs', async (test) => {
    const server = await aScriptedSshServer(test, { onExec: () => undefined })
    const result = await aShell().run(server.target, aCommand('hang', { signal: AbortSignal.timeout(200) }))
    assert.equal(result.reason, 'cancelled')
  })

  it('SSH-16: waits for all output when the status comes before it', async (test) => {
    const server = await aScriptedSshServer(test, {
      onExec({ channel }) {
        channel.resume()
        channel.exit(3)
        channel.end(Buffer.alloc(5_000_000, 'x'))
      },
    })
    const result = await aShell().run(server.target, aCommand('print', { maxOutputBytes: 6_000_000 }))
    assert.equal(result.stdout.length, 5_000_000)
    assert.equal(result.exitCode, 3)
    assert.equal(result.truncated, false)
  })
})

describe('output of a real sshd', { concurrency: 2, ...needsSshd }, () => {
  it('ref 18: a failing command keeps both streams apart', async (test) => {
    const host = await anSshHost(test)
    const result = await aShell().run(host.target, aCommand('echo fine; echo boom >&2; exit 1'))
    const { stdout, stderr, exitCode, reason } = result
    assert.deepEqual(
      { stdout, stderr, exitCode, reason },
      { stdout: 'fine\n', stderr: 'boom\n', exitCode: 1, reason: 'exited' },
    )
  })

  it('SSH-18: drains a stream that nobody asked for', async (test) => {
    const host = await anSshHost(test)
    const result = await aShell().run(
      host.target,
      aCommand('head -c 200000 /dev/zero >&2', { maxOutputBytes: 1000 }),
    )
    assert.equal(result.exitCode, 0)
    assert.equal(result.truncated, true)
    assert.match(result.stderr, /^\0{500}\n\[199000 bytes left out\]\n\0{500}$/)
  })

  it('SSH-18: stays small whatever is printed', async (test) => {
    const host = await anSshHost(test)
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let highest = before
    let bytes = 0
    const result = await aShell().run(
      host.target,
      aCommand('head -c 500000000 /dev/zero', {
        maxOutputBytes: 256_000,
        budgets: { ...budgets, commandMs: 100_000 },
        onOutput: (_stream, chunk) => {
          bytes += chunk.length
          highest = Math.max(highest, bytes % 50_000_000 < chunk.length ? process.memoryUsage().rss : 0)
        },
      }),
    )
    assert.equal(result.exitCode, 0)
    assert.equal(bytes, 500_000_000)
    assert.match(result.stdout, /\[499744000 bytes left out\]/)
    assert.ok(highest - before < 150_000_000, `memory grew by ${String(highest - before)} bytes`)
  })
})
