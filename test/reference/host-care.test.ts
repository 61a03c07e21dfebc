// Looking after hosts: who is looked at and when, what becomes of claims that nobody has any more, of tokens and of zombies.
// There, one controller per host; here, the guard asks, and probe and leave carry out.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultGuardSettings } from '../../lib/guard/guard-settings.ts'
import { classifyHost } from '../../lib/guard/classify-host.ts'
import { makeGuard } from '../../lib/guard/run-guard.ts'
import { nodeClaims, nodes, secrets, sshHosts } from '../../lib/kubernetes/resources.ts'
import { makeProbeHosts } from '../../lib/phase/run-probe.ts'
import { aClaimedHost, aHost, aJoinedHost, aRun, anInventory, t0 } from '../support/builders/hosts.ts'
import { after } from '../support/builders/transitions.ts'
import { fakeClusterItems } from '../support/fakes/clusters.ts'
import { fakeGauges } from '../support/fakes/gauges.ts'
import { fakeClusters } from '../support/fakes/kubernetes.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { aGuardWorld } from '../support/worlds/guard-world.ts'
import { aMember, makePhaseWorld, type PhaseWorld } from '../support/worlds/phase-world.ts'
import { aReconcileWorld, anInventoryHost } from '../support/worlds/reconcile-world.ts'

const interval = defaultGuardSettings.probeIntervalMs
const isProbeDue = (probedAtMs: number, nowMs: number) =>
  classifyHost(aHost({ probedAtMs }), nowMs, defaultGuardSettings).isProbeDue

describe('a look at a host', () => {
  it('ref 99: is not taken while the last one is fresh, and is due in every pass of the guard', () => {
    assert.equal(isProbeDue(t0, t0 + interval - 1), false)
    assert.equal(isProbeDue(t0, t0 + interval), true)
    assert.ok(interval < 120_000)
  })
})

describe('the maintenance annotation', () => {
  const inMaintenance = anInventory({ maintenance: true })

  it('ref 103: parks a free host, and lets it come back through a look', () => {
    const parked = after(aHost(), { kind: 'inventory-seen', inventory: inMaintenance }, t0)
    assert.equal(parked.state, 'Maintenance')
    assert.equal(after(parked, { kind: 'inventory-seen', inventory: anInventory() }, t0).state, 'Pending')
  })

  it('ref 103: counts by being there, whatever its value', async () => {
    const world = aReconcileWorld()
    const annotations = { 'karpenter.dklesev.github.io/maintenance': 'false' }
    world.kubernetes.put(sshHosts, anInventoryHost('h1', { metadata: { annotations } }))
    await world.reconcile()
    assert.equal(world.record().state, 'Maintenance')
    world.kubernetes.put(sshHosts, anInventoryHost('h1'))
    await world.reconcile()
    assert.equal(world.record().state, 'Pending')
    assert.equal(world.sender.take('probe').length, 1)
  })
})

describe('a claim whose NodeClaim is gone', () => {
  it('ref 102: ends at once where nothing was joined: the host is free, not Pending', async () => {
    const world = aGuardWorld(aClaimedHost())
    await world.guard(world.scope)
    const { state, claim, providerID } = world.record() ?? {}
    assert.deepEqual([state, claim, providerID], ['Available', undefined, undefined])
  })

  it('ref 112: ends also where the name has another uid now, and its tokens are collected', async () => {
    const world = aGuardWorld(aClaimedHost({ tokenIDs: ['abcdef'] }))
    world.putNodeClaim('uid-2')
    world.putToken('abcdef')
    await world.guard(world.scope)
    assert.equal(world.record()?.claim, undefined)
    await world.guard(world.scope)
    assert.deepEqual(world.record()?.tokenIDs, [])
    assert.equal(world.kubernetes.raw(secrets, 'bootstrap-token-abcdef', 'kube-system'), undefined)
  })
})

describe('a bootstrap token', () => {
  const spentTokens = (host: Parameters<typeof classifyHost>[0]) =>
    classifyHost(host, t0, defaultGuardSettings).spentTokens

  it('ref 110: is kept until the Node is there, and deleted once then', async () => {
    const joined = aJoinedHost({ tokenIDs: ['abcdef'], nodeName: undefined })
    const world = aGuardWorld(joined)
    world.putNodeClaim()
    world.putToken('abcdef')
    const token = () => world.kubernetes.raw(secrets, 'bootstrap-token-abcdef', 'kube-system')
    await world.guard(world.scope)
    assert.notEqual(token(), undefined)
    world.hosts.put({ ...joined, version: 2, nodeName: 'workers-abcde' })
    await world.guard(world.scope)
    await world.guard(world.scope)
    assert.equal(token(), undefined)
    const deletes = world.kubernetes.requests.filter((request) => request.startsWith('delete secrets/'))
    assert.deepEqual(deletes, ['delete secrets/bootstrap-token-abcdef'])
  })

  it('ref 111: of a join that goes on is kept, whatever Nodes there are', () => {
    assert.deepEqual(spentTokens(aClaimedHost({ tokenIDs: ['abcdef'], run: aRun({ phase: 'join' }) })), [])
    assert.deepEqual(spentTokens(aClaimedHost({ tokenIDs: ['abcdef'], nodeName: 'workers-abcde' })), [])
  })
})

describe('a host whose NodeClaim was deleted by force', () => {
  it('ref 114: is left under its old claim, loses its Node, and is free again and still installed', async () => {
    const world = makePhaseWorld({ hosts: [aMember()] })
    world.machine().agent = 'active'
    world.putNode()
    world.kubernetes.vanish(nodeClaims, 'workers-abcde')
    await passOf(world)
    const { state, claim, installed, leavePending } = world.record()
    assert.deepEqual([state, claim, installed, leavePending], ['Available', undefined, 'demo@1', false])
    assert.equal(world.machine().agent, 'inactive')
    assert.deepEqual(world.kubernetes.all(nodes), [])
  })
})

describe('a zombie that cannot be left', () => {
  it('ref 115: is Unhealthy with the reason, keeps its Node, and is left again after its back-off', async () => {
    const world = makePhaseWorld({ hosts: [aHost({ installed: 'demo@1', takenIn: true })] })
    world.putProfile({ leave: 'exit 1' })
    world.machine().agent = 'active'
    world.putNode()
    await passOf(world)
    const { state, reason, leavePending } = world.record()
    assert.deepEqual([state, reason, leavePending], ['Unhealthy', 'LeaveFailed', true])
    assert.equal(world.kubernetes.all(nodes).length, 1)
    world.putProfile()
    world.clock.advance(30 * 60_000)
    await passOf(world)
    assert.deepEqual([world.machine().agent, world.record().leavePending], ['inactive', false])
    assert.deepEqual(world.kubernetes.all(nodes), [])
  })
})

/** A pass of the guard, and everything that follows from it. */
async function passOf(world: PhaseWorld): Promise<void> {
  const { deps, clock, sender } = world
  const guard = makeGuard({
    ...deps,
    hosts: world.hosts,
    clusters: fakeClusters({ lab: world.kubernetes }),
    heartbeats: fakeClusterItems(),
    gauges: fakeGauges(),
    settings: defaultGuardSettings,
    clusterNames: [],
  })
  const scope = () => ({ clock, log: fakeLog(), deadlineAtMs: clock.nowMs() + 60_000 })
  await guard(scope())
  for (const { message } of sender.take('probe'))
    if (message.type === 'ProbeHosts') await makeProbeHosts(deps)(message, scope())
  await world.drain()
}
