// Everything that can go wrong before a command was started: each failure names its stage, and nothing ran.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ControlPlaneError } from '../../lib/errors/control-plane-error.ts'
import { dispositionOf } from '../../lib/errors/disposition.ts'
import type { SshTarget } from '../../lib/execution/ports.ts'
import { aScriptedSshServer, type ServerScript } from '../support/ssh-server/scripted-ssh-server.ts'
import { aCommand, aRun, aShell, budgets, someRuns } from '../support/sshd/runs-on.ts'
import { anSshHost, needsSshd } from '../support/sshd/ssh-host.ts'

async function failureOf(target: SshTarget, more: Partial<typeof budgets> = {}): Promise<ControlPlaneError> {
  const error: unknown = await aShell()
    .run(target, aCommand('true', { budgets: { ...budgets, ...more } }))
    .then(
      () => assert.fail('it connected'),
      (reason: unknown) => reason,
    )
  assert.ok(error instanceof ControlPlaneError)
  return error
}

describe('connecting', { concurrency: 4 }, () => {
  it('says that a port is closed', async (test) => {
    const server = await aScriptedSshServer(test)
    const error = await failureOf({ ...server.target, port: 1 })
    assert.equal(error.reason, 'ConnectRefused')
    assert.equal(dispositionOf(error).kind, 'retry')
    assert.match(
      error.message,
      /^Cannot connect to "host-a" \(root at 127\.0\.0\.1 port 1\): connect: the port is closed, /,
    )
  })

  it('says that a name is unknown', async (test) => {
    const server = await aScriptedSshServer(test)
    assert.equal(
      (await failureOf({ ...server.target, address: 'no-such-host.invalid' })).reason,
      'AddressUnknown',
    )
  })

  it('SSH-14: gives a slow handshake its own budget and names the stage that was slow', async (test) => {
    const silent = await aScriptedSshServer(test, { onSocket: () => undefined })
    const error = await failureOf(silent.target, { handshakeMs: 300 })
    assert.equal(error.reason, 'HandshakeTimeout')
    assert.equal(error.details['stage'], 'handshake')
    const late = await aScriptedSshServer(test, { onSocket: (_, serve) => void sleep(500).then(serve) })
    const result = await aShell().run(
      late.target,
      aCommand('true', { budgets: { ...budgets, connectMs: 200 } }),
    )
    assert.equal(result.exitCode, 0)
  })

  it('SSH-14: gives a slow login its own budget', async (test) => {
    const slow = await aScriptedSshServer(test, {
      onAuth: (context) => void sleep(400).then(() => context.accept()),
    })
    assert.equal((await failureOf(slow.target, { authMs: 100 })).reason, 'AuthTimeout')
    const patient = aCommand('true', { budgets: { ...budgets, handshakeMs: 300 } })
    assert.equal((await aShell().run(slow.target, patient)).exitCode, 0)
  })

  it('SSH-14: still speaks to a server that has nothing but group exchange', async (test) => {
    const old = await aScriptedSshServer(test, { kex: ['diffie-hellman-group14-sha256'] })
    assert.equal((await aShell().run(old.target, aCommand('true'))).exitCode, 0)
  })

  const wantsPerson: readonly [string, ServerScript][] = [
    ['offers nothing but a dialog', { onAuth: (context) => context.reject(['keyboard-interactive']) }],
    ['wants a dialog after the key', { onAuth: (context) => context.reject(['keyboard-interactive'], true) }],
    ['offers nothing but passwords', { onAuth: (context) => context.reject(['password']) }],
  ]
  for (const [what, script] of wantsPerson) {
    it(`SSH-06: refuses within seconds a server that ${what}`, async (test) => {
      const server = await aScriptedSshServer(test, script)
      const error = await failureOf(server.target)
      assert.equal(error.reason, 'InteractiveAuthRequired')
      assert.equal(server.seen.sessions, 0)
    })
  }

  it('tells a refused key from a server that wants more', async (test) => {
    const server = await aScriptedSshServer(test, { onAuth: (context) => context.reject(['publickey']) })
    assert.equal((await failureOf(server.target)).reason, 'AuthFailed')
  })

  it('SSH-08: tries again where the server hangs up before its banner', async (test) => {
    const server = await aScriptedSshServer(test, {
      onSocket(socket, serve, count) {
        if (count <= 2) socket.destroy()
        else serve()
      },
    })
    assert.equal((await aShell().run(server.target, aCommand('true'))).exitCode, 0)
    assert.equal(server.seen.connections, 3)
  })

  it('SSH-08: gives up when the budget is spent, and says why', async (test) => {
    const server = await aScriptedSshServer(test, { onSocket: (socket) => socket.resetAndDestroy() })
    const error = await failureOf(server.target, { connectMs: 300, handshakeMs: 300 })
    assert.equal(error.reason, 'ClosedBeforeBanner')
    assert.ok(server.seen.connections > 1)
  })

  it('ref 20, SSH-09: a refused session means that nothing was started', async (test) => {
    const server = await aScriptedSshServer(test, { onSession: () => false })
    const error = await failureOf(server.target)
    assert.equal(error.reason, 'ChannelRefused')
    assert.equal(dispositionOf(error).kind, 'retry')
  })

  it('a refused command means that nothing was started', async (test) => {
    const server = await aScriptedSshServer(test, { refusesExec: true })
    assert.equal((await failureOf(server.target)).reason, 'ChannelRefused')
  })

  it('SSH-12: survives resets in the middle of a handshake, again and again', async (test) => {
    const server = await aScriptedSshServer(test, {
      onSocket(socket) {
        socket.write('SSH-2.0-test\r\n')
        setTimeout(() => socket.resetAndDestroy(), 20)
      },
    })
    for (let round = 0; round < 3; round++)
      assert.equal((await failureOf(server.target)).reason, 'ConnectionLost')
  })

  it('can be cancelled at any stage', async (test) => {
    const silent = await aScriptedSshServer(test, { onSocket: () => undefined })
    const abort = new AbortController()
    const running = aShell().run(silent.target, aCommand('true', { signal: abort.signal }))
    setTimeout(() => abort.abort(), 50)
    await assert.rejects(running, { reason: 'Cancelled' })
    await assert.rejects(aShell().run(silent.target, aCommand('true', { signal: abort.signal })), {
      reason: 'Cancelled',
    })
  })

  it('ref 14: a malformed variable name is refused before any connection', async (test) => {
    const server = await aScriptedSshServer(test)
    const run = aRun('true', { environment: { 'a;b': 'x' } })
    await assert.rejects(someRuns().start(server.target, run, { waitMs: 1000 }), {
      reason: 'EnvironmentInvalid',
    })
    assert.equal(server.seen.connections, 0)
  })

  it('ref 10: a sound variable name gets as far as the connection', async (test) => {
    const { target } = await aScriptedSshServer(test)
    const run = aRun('true', { environment: { GOOD_NAME_1: 'x' } })
    const started = someRuns().start({ ...target, port: 1 }, run, { waitMs: 1000 })
    await assert.rejects(started, { reason: 'ConnectRefused' })
  })

  it('ref 19: a key that cannot be parsed is refused before any connection', async (test) => {
    const server = await aScriptedSshServer(test)
    const error = await failureOf({ ...server.target, privateKey: { reveal: () => 'not a key' } })
    assert.equal(error.reason, 'KeyInvalid')
    assert.equal(server.seen.connections, 0)
  })
})

describe('a busy sshd', needsSshd, () => {
  it('SSH-08: lets all of 20 simultaneous probes through MaxStartups 2:100:2', async (test) => {
    const host = await anSshHost(test, { config: ['MaxStartups 2:100:2'] })
    const runs = someRuns(aShell())
    const probes = Array.from({ length: 20 }, () => runs.probe(host.target, { agentUnits: ['kubelet'] }))
    const kinds = (await Promise.all(probes)).map(({ report }) => report.kind)
    assert.deepEqual(
      kinds,
      Array.from({ length: 20 }, () => 'probed'),
    )
  })

  it('SSH-09: needs no more than one session on a connection', async (test) => {
    const host = await anSshHost(test, { config: ['MaxSessions 1'] })
    const report = await someRuns().start(host.target, aRun('true'), { waitMs: 5000 })
    assert.equal(report.report.kind, 'finished')
    const refusing = await anSshHost(test, { config: ['MaxSessions 0'] })
    assert.equal((await failureOf(refusing.target)).reason, 'ChannelRefused')
  })

  it('connects over IPv6, bracketed or not', async (test) => {
    const host = await anSshHost(test, { listenAddress: '::1' })
    for (const address of ['::1', '[::1]']) {
      assert.equal((await aShell().run({ ...host.target, address }, aCommand('true'))).exitCode, 0)
    }
  })
})
