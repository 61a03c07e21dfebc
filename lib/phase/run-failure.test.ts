import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { secrets } from '../kubernetes/resources.ts'
import { t0 } from '../../test/support/builders/hosts.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import {
  activationCode,
  aColdHost,
  aWarmHost,
  makePhaseWorld,
} from '../../test/support/worlds/phase-world.ts'

const install = aRunPhase({ phase: 'install' })
const join = aRunPhase({ phase: 'join' })

describe('a phase that fails', () => {
  it('ref 72, POOL-06: after a failed join leave runs, then the claim ends and the token is gone', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.putProfile({ join: 'systemctl enable --now kubelet\necho "no route" >&2\nexit 7' })
    await world.deliver(join)
    assert.equal(world.record().claim?.failure?.message, 'join exited with code 7 after 0 s: no route')
    assert.deepEqual(world.tokens(), [])
    await world.drain()
    const record = world.record()
    assert.deepEqual(
      world.machine().executed.map(({ phase }) => phase),
      ['join', 'leave'],
    )
    assert.equal(world.machine().agent, 'inactive')
    assert.equal(record.claim, undefined)
    assert.equal(record.state, 'Unhealthy')
    assert.equal(record.reason, 'JoinFailed')
    assert.equal(record.leavePending, false)
    assert.deepEqual(record.tokenIDs, [])
    assert.ok((record.failures?.notBeforeMs ?? 0) > world.clock.nowMs())
  })

  it('a failed install frees the claim at once: nothing was joined', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'exit 100' })
    await world.deliver(install)
    world.sender.take('events')
    world.sender.assertIdle()
    assert.equal(world.record().claim, undefined)
    assert.equal(world.record().state, 'Unhealthy')
    assert.equal(world.record().installed, undefined)
    assert.equal(world.record().failures?.nodeClaimUid, 'uid-1')
  })

  it('POOL-13: a join that hangs ends by its own budget, not by one long timeout', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.putProfile({ join: 'sleep 100000', timeouts: { join: '90s' } })
    await world.deliver(join)
    await world.drain()
    const [run] = world.history.entries
    assert.equal(run?.facts.reason, 'JoinTimedOut')
    assert.ok(world.clock.nowMs() - t0 < 180_000)
    assert.equal(world.record().claim, undefined)
  })

  it('a host that is not reached is tried four times, then another host serves the claim', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost({ address: 'refuses-connect.example' })] })
    await world.deliver(join)
    const outcomes = await world.drain()
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['retry-later', 'retry-later', 'done'],
    )
    assert.equal(world.machine().contacts, 4)
    const record = world.record()
    assert.equal(record.state, 'Unhealthy')
    assert.equal(record.reason, 'ConnectRefused')
    assert.equal(record.leavePending, false)
    assert.equal(record.claim, undefined)
    assert.deepEqual(world.tokens(), [])
    assert.ok(world.clock.nowMs() - t0 < 60_000)
  })

  it('SSH-08: a connection that is dropped once costs one more try, not the host', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.machine().faults.push('refuses-connect')
    await world.deliver(join)
    await world.drain()
    assert.equal(world.record().state, 'InUse')
    assert.equal(world.record().failures, undefined)
    assert.equal(world.tokens().length, 1)
  })

  it('blames the host for what it lacks', async () => {
    const world = makePhaseWorld({ hosts: [aColdHost({ address: 'needs-tty.example' })] })
    await world.deliver(install)
    assert.equal(world.record().reason, 'SudoNeedsTty')
    assert.equal(world.record().state, 'Unhealthy')
  })

  it('leaves a host of another installation alone', async () => {
    const world = makePhaseWorld()
    world.machine().installation = { id: 'installation-2', fence: 5 }
    await world.deliver(install)
    assert.deepEqual(world.machine().executed, [])
    assert.equal(world.record().reason, 'ForeignInstallation')
    assert.match(world.record().message ?? '', /kpssh host adopt/)
    assert.deepEqual(world.machine().installation, { id: 'installation-2', fence: 5 })
  })
})

describe('host keys', () => {
  it('pins what the first contact authenticated', async () => {
    const world = makePhaseWorld()
    await world.deliver(install)
    assert.equal(world.record().hostKeys[0]?.type, 'ssh-ed25519')
  })

  it('SSH-01: another key than the pinned one quarantines the host, and nothing was sent', async () => {
    const pinned = { type: 'ssh-ed25519', fingerprint: `SHA256:${'c'.repeat(43)}` }
    const world = makePhaseWorld({ hosts: [aWarmHost({ hostKeys: [pinned] })] })
    await world.deliver(join)
    await world.drain()
    const record = world.record()
    assert.deepEqual(world.machine().executed, [])
    assert.equal(record.state, 'Unhealthy')
    assert.equal(record.quarantine?.reason, 'HostKeyChanged')
    assert.match(record.quarantine.message, new RegExp(`${'c'.repeat(43)}.*${'a'.repeat(43)}`))
    assert.equal(record.claim, undefined)
    assert.equal(record.failures?.nodeClaimUid, 'uid-1')
    assert.deepEqual(world.tokens(), [])
  })

  it('a knownHost in the Secret wins over what was learned', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    const wrong = `SHA256:${'d'.repeat(43)}`
    world.kubernetes.put(secrets, {
      metadata: { name: 'ssh-key', namespace: 'kpssh-system' },
      stringData: { privateKey: 'a private key', knownHost: wrong },
    })
    await world.deliver(join)
    assert.equal(world.record().quarantine?.reason, 'HostKeyChanged')
  })
})

describe('secrets', () => {
  it('SSH-36: are in no message, no record, no history and no outcome', async () => {
    const world = makePhaseWorld()
    world.putNodeClass({ joinSecretRef: { name: 'activation' } })
    world.putProfile({
      join: 'echo "$KPSSH_SECRET_ACTIVATION_CODE" >&2\necho "$KPSSH_BOOTSTRAP_TOKEN" >&2\nexit 1',
    })
    const outcomes = [await world.deliver(install), ...(await world.drain())]
    const told = JSON.stringify([outcomes, world.hosts.records, world.history.entries, world.sender.sent])
    const token = world.machine().executed[1]?.environment.KPSSH_BOOTSTRAP_TOKEN ?? ''
    assert.match(token, /^\w{6}\.\w{16}$/)
    for (const secret of [activationCode, token, token.slice(7), 'a private key']) {
      assert.ok(!told.includes(secret))
    }
    const failure = world.history.entries.find(({ facts }) => facts.phase === 'join')?.facts.message
    assert.equal(failure, 'join exited with code 1 after 0 s: [REDACTED]\n[REDACTED]')
  })
})
