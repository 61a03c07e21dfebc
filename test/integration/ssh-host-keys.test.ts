import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HostIdentityError } from '../../lib/errors/host-identity-error.ts'
import { parseKnownHost } from '../../lib/execution/known-host.ts'
import { aScriptedSshServer, anSshKey } from '../support/ssh-server/scripted-ssh-server.ts'
import { aCommand, aShell } from '../support/sshd/runs-on.ts'
import { anSshHost, needsSshd, type SshHost } from '../support/sshd/ssh-host.ts'

const allTypes = ['rsa', 'ecdsa', 'ed25519'] as const
const other = 'SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

function pinOf(host: SshHost, type: (typeof allTypes)[number]) {
  const [pin] = parseKnownHost(host.sshd.hostPublicKeys[type] ?? '')
  assert.ok(pin)
  return pin
}

function isIdentityError(error: unknown): error is HostIdentityError {
  return error instanceof HostIdentityError && error.reason === 'HostKeyChanged'
}

describe('host keys over a real sshd', { concurrency: 2, ...needsSshd }, () => {
  it('ref 17: returns the key that was authenticated where none was pinned, ed25519 first', async (test) => {
    const host = await anSshHost(test, { hostKeyTypes: allTypes })
    const { hostKeys } = await aShell().run(host.target, aCommand('true'))
    assert.deepEqual(hostKeys[0], pinOf(host, 'ed25519'))
  })

  it('learns the other keys of a server only as it proves them over the authenticated connection', async (test) => {
    const host = await anSshHost(test, { hostKeyTypes: allTypes })
    const { hostKeys } = await aShell().run(host.target, aCommand('sleep 0.3'))
    const known = new Set(hostKeys.map((pin) => pin.fingerprint))
    assert.deepEqual(known, new Set(allTypes.map((type) => pinOf(host, type).fingerprint)))
    assert.equal(hostKeys.length, 3)
  })

  for (const type of allTypes) {
    it(`SSH-02: a pinned ${type} key is the one that is proposed, whatever else the server has`, async (test) => {
      const host = await anSshHost(test, { hostKeyTypes: allTypes })
      const pin = pinOf(host, type)
      const { exitCode, hostKeys } = await aShell().run(host.withPins([pin]), aCommand('true'))
      assert.equal(exitCode, 0)
      assert.deepEqual(hostKeys[0], pin)
    })

    it(`ref 16: finds the type of a bare ${type} fingerprint, one handshake for each`, async (test) => {
      const host = await anSshHost(test, { hostKeyTypes: allTypes })
      const { fingerprint } = pinOf(host, type)
      const { exitCode, hostKeys } = await aShell().run(host.withPins([{ fingerprint }]), aCommand('true'))
      assert.equal(exitCode, 0)
      assert.deepEqual(hostKeys[0], pinOf(host, type))
    })
  }

  it('treats a server that no longer has a key of the pinned type as another machine', async (test) => {
    const host = await anSshHost(test, { hostKeyTypes: ['ecdsa'] })
    const pins = [{ type: 'ssh-ed25519', fingerprint: other }]
    await assert.rejects(
      aShell().run(host.withPins(pins), aCommand('touch "$KPSSH_ROOT/ran"')),
      isIdentityError,
    )
    assert.equal(host.list('').includes('ran'), false)
  })

  it('connects by any of several pins', async (test) => {
    const host = await anSshHost(test, { hostKeyTypes: ['ecdsa', 'ed25519'] })
    const pins = [{ type: 'ssh-rsa', fingerprint: other }, { fingerprint: pinOf(host, 'ecdsa').fingerprint }]
    assert.equal((await aShell().run(host.withPins(pins), aCommand('true'))).exitCode, 0)
  })
})

describe('host keys that do not match', () => {
  it('SSH-01: fails at once with both fingerprints, and nothing is sent', async (test) => {
    const server = await aScriptedSshServer(test)
    const first = await aShell().run(server.target, aCommand('true'))
    const pins = [first.hostKeys[0]!]
    const replaced = await aScriptedSshServer(test, { hostKeys: [anSshKey()] })
    await assert.rejects(aShell().run({ ...replaced.target, pins }, aCommand('true')), (error) => {
      assert.ok(isIdentityError(error))
      assert.match(error.message, new RegExp(pins[0]!.fingerprint.replaceAll(/[+/]/g, '.')))
      assert.match(error.message, /it shows the host key SHA256:[A-Za-z0-9+/]{43}, pinned is SHA256:/)
      return true
    })
    assert.equal(replaced.seen.connections, 1)
  })

  it('names a few of many pins: a Secret may hold those of all its hosts', async (test) => {
    const server = await aScriptedSshServer(test)
    const pins = Array.from({ length: 5000 }, (_, index) => ({
      fingerprint: `SHA256:${String(index).padStart(43, 'A')}`,
    }))
    await assert.rejects(aShell().run({ ...server.target, pins }, aCommand('true')), (error) => {
      assert.ok(isIdentityError(error))
      assert.match(error.message, /and 4992 more; if the machine was replaced/)
      return error.message.length < 1000
    })
  })

  it('ref 15: a server with another key than the pinned one sees no login and no session', async (test) => {
    const server = await aScriptedSshServer(test)
    for (const pin of [{ fingerprint: other }, { type: 'ssh-ed25519', fingerprint: other }]) {
      await assert.rejects(aShell().run({ ...server.target, pins: [pin] }, aCommand('true')), isIdentityError)
    }
    assert.deepEqual({ auths: server.seen.auths, sessions: server.seen.sessions }, { auths: 0, sessions: 0 })
  })
})
