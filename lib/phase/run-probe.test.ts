import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Scope } from '../ambient/ports.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { ProbeHosts } from '../messages/run-phase.ts'
import { aClaim, aHost, aHostKey } from '../../test/support/builders/hosts.ts'
import { aProbeHosts } from '../../test/support/builders/messages.ts'
import { fakeScope } from '../../test/support/fakes/log.ts'
import { makePhaseWorld, type PhaseWorld } from '../../test/support/worlds/phase-world.ts'
import { makeProbeHosts, type ProbeCounts } from './run-probe.ts'

function probe(
  world: PhaseWorld,
  message: Partial<ProbeHosts> = {},
  scope: Partial<Scope> = {},
): Promise<ProbeCounts> {
  return makeProbeHosts(world.deps)(aProbeHosts(message), fakeScope(world.clock, scope))
}
function found(counts: ProbeCounts): Partial<ProbeCounts> {
  const entries = Object.entries(counts).filter(([, count]) => typeof count === 'number' && count > 0)
  return Object.fromEntries(entries)
}
function worldOf(...hosts: readonly HostRecord[]): PhaseWorld {
  return makePhaseWorld({ hosts })
}

describe('probeHosts', () => {
  it('ref 98: a Pending host that answers is Available, and its keys are pinned', async () => {
    const world = worldOf(aHost({ state: 'Pending', takenIn: false }))
    assert.deepEqual(found(await probe(world)), { healthy: 1 })
    const record = world.record()
    assert.equal(record.state, 'Available')
    assert.equal(record.arch, 'amd64')
    assert.equal(record.hostKeys.length, 1)
    assert.equal(world.sender.take('events').length, 1)
  })

  it('tells nobody when nothing changed', async () => {
    const world = worldOf(aHost())
    await probe(world)
    world.sender.assertIdle()
  })

  it('ref 101: a host that does not answer three times is Unhealthy, with the reason', async () => {
    const world = worldOf(aHost({ address: 'refuses-connect.example' }))
    assert.deepEqual(found(await probe(world)), { askedAgain: 1 })
    assert.equal(world.record().state, 'Available')
    const [again] = world.sender.take('probe')
    assert.equal(again?.message.type === 'ProbeHosts' && again.message.attempt, 2)
    assert.deepEqual(found(await probe(world, { attempt: 3 })), { failed: 1 })
    assert.equal(world.record().state, 'Unhealthy')
    assert.equal(world.record().reason, 'ConnectRefused')
  })

  it('SSH-08: a burst that drops connections turns no host Unhealthy', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `h${index}`)
    const world = worldOf(
      ...names.map((name, index) => aHost({ key: aHostKey(name), address: `10.0.0.${index}` })),
    )
    for (const name of names.slice(0, 15)) world.machine(name).faults.push('refuses-connect')
    const first = await probe(world, { hosts: names.map((name) => aHostKey(name)) })
    assert.deepEqual(found(first), { healthy: 5, askedAgain: 15 })
    const [again] = world.sender.take('probe')
    assert.ok(again?.message.type === 'ProbeHosts')
    assert.deepEqual(found(await makeProbeHosts(world.deps)(again.message, fakeScope(world.clock))), {
      healthy: 15,
    })
    assert.ok(world.hosts.records.every(({ state }) => state === 'Available'))
  })

  it('POOL-12: one dead host costs the others nothing', async () => {
    const world = worldOf(
      aHost({ key: aHostKey('dead'), address: 'refuses-connect.example', probeError: 'x' }),
      aHost({ key: aHostKey('fine'), address: '10.0.0.2', state: 'Pending' }),
    )
    const counts = await probe(world, { hosts: [aHostKey('dead'), aHostKey('fine'), aHostKey('unknown')] })
    assert.deepEqual(found(counts), { failed: 1, healthy: 1, skipped: 1 })
    assert.equal(world.record('fine').state, 'Available')
  })

  it('JOIN-09: our agent on a host that nobody claims is left, though no Node exists', async () => {
    const world = worldOf(aHost({ installed: 'demo@1' }))
    world.machine().agent = 'active'
    assert.deepEqual(found(await probe(world)), { zombie: 1 })
    assert.equal(world.record().state, 'Leaving')
    assert.equal(world.record().leavePending, true)
    const [leave] = world.sender.take('leave')
    assert.ok(leave?.message.type === 'RunPhase')
    assert.equal(leave.message.reason, 'Zombie')
    assert.equal(leave.message.nodeClaim, undefined)
    await world.deliver(leave.message)
    assert.equal(world.machine().agent, 'inactive')
  })

  it('ref flaw 11: an agent that keeps restarting is a zombie too', async () => {
    const world = worldOf(aHost({ installed: 'demo@1' }))
    world.machine().agent = 'activating'
    assert.deepEqual(found(await probe(world)), { zombie: 1 })
  })

  it('knows a zombie by what the host remembers, if the table was lost', async () => {
    const world = worldOf(aHost({ state: 'Pending', takenIn: false }))
    world.machine().agent = 'active'
    world.machine().installation = { id: 'installation-1', fence: 5 }
    assert.deepEqual(found(await probe(world)), { zombie: 1 })
  })

  it('ref 104: an agent that we never started is foreign: parked, and nothing is run', async () => {
    const world = worldOf(aHost())
    world.machine().agent = 'active'
    world.machine().installation = { id: 'installation-2', fence: 5 }
    assert.deepEqual(found(await probe(world)), { foreign: 1 })
    assert.equal(world.record().state, 'Unhealthy')
    assert.equal(world.record().reason, 'ForeignKubelet')
    assert.deepEqual(world.sender.take('leave'), [])
  })

  it('ref 105: a claim that lands during the look wins over what it saw', async () => {
    const world = worldOf(aHost({ installed: 'demo@1' }))
    world.machine().agent = 'active'
    world.kubernetes.before = async () => {
      world.kubernetes.before = undefined
      await world.deps.changeHost(aHostKey(), { kind: 'claimed', claim: aClaim() }, world.clock.nowMs())
    }
    assert.deepEqual(found(await probe(world)), { overtaken: 1 })
    assert.equal(world.record().state, 'Claimed')
    assert.deepEqual(world.sender.take('leave'), [])
  })

  it('SSH-01: another host key quarantines, and is told once', async () => {
    const pinned = { type: 'ssh-ed25519', fingerprint: `SHA256:${'c'.repeat(43)}` }
    const world = worldOf(aHost({ hostKeys: [pinned] }))
    assert.deepEqual(found(await probe(world)), { quarantined: 1 })
    assert.equal(world.record().quarantine?.reason, 'HostKeyChanged')
    assert.deepEqual(found(await probe(world)), { skipped: 1 })
    assert.equal(world.sender.take('events').length, 1)
  })

  it('hands over the hosts that this invocation has no time for', async () => {
    const world = worldOf(aHost())
    assert.deepEqual(found(await probe(world, {}, { deadlineAtMs: world.clock.nowMs() + 5_000 })), {
      notReached: 1,
    })
    const [again] = world.sender.take('probe')
    assert.equal(again?.message.type === 'ProbeHosts' && again.message.attempt, 1)
  })

  it('looks at nobody for a request that is past its deadline: the next pass has asked anew', async () => {
    const world = worldOf(aHost())
    assert.deepEqual(found(await probe(world, { deadlineAtMs: world.clock.nowMs() })), { skipped: 1 })
  })
})
