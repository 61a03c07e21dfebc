import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHostKey } from '../../test/support/builders/hosts.ts'
import { aNodeClaim, isTrueNow } from '../../test/support/builders/kubernetes.ts'
import { aReconcileWorld, anInventoryHost, putPendingPod } from '../../test/support/worlds/reconcile-world.ts'
import { nodeClaims, sshHosts } from '../kubernetes/resources.ts'

describe('an SSHHost', () => {
  it('is taken in, and a look at it is asked for at once', async () => {
    const world = aReconcileWorld({ hosts: [] })
    world.kubernetes.put(sshHosts, anInventoryHost('h1'))
    await world.reconcile()
    assert.deepEqual([world.record().state, world.record().takenIn], ['Pending', false])
    const [probe] = world.sender.take('probe')
    assert.deepEqual(probe?.message.type === 'ProbeHosts' && probe.message.hosts, [aHostKey()])
  })

  it('is held from the moment in which its host is claimed', async () => {
    const world = aReconcileWorld()
    putPendingPod(world, 'web')
    await world.reconcile()
    const sshHost = await world.kubernetes.get(sshHosts, 'h1', 'kpssh-system')
    assert.deepEqual(sshHost?.metadata.finalizers, ['karpenter.dklesev.github.io/membership'])
  })

  it('whose table item was lost is taken in with its claim: nothing is launched again', async () => {
    const world = aReconcileWorld()
    putPendingPod(world, 'web')
    await world.reconcile()
    const before = world.record()
    world.sender.take('join')
    await world.hosts.remove(before.key, before.version)
    await world.reconcile()
    assert.equal(world.record().claim?.uid, before.claim?.uid)
    assert.equal(world.record().takenIn, false)
    assert.equal((await world.nodeClaims()).length, 1)
    assert.deepEqual(world.requests(), [])
  })

  it('that the table lost is taken in by what it says now, not by what a message knew of it', async () => {
    const world = aReconcileWorld()
    const message = await world.observe()
    putPendingPod(world, 'web')
    await world.reconcile()
    await world.reconcile()
    const before = world.record()
    await world.hosts.remove(before.key, before.version)
    await world.reconcile(message)
    assert.equal(world.record().claim?.uid, before.claim?.uid)
    assert.equal(world.record().installed, 'demo@1')
    assert.equal((await world.nodeClaims()).length, 1)
  })

  it('is not forgotten by a message that does not know it yet', async () => {
    const world = aReconcileWorld({ hosts: [] })
    const message = await world.observe()
    world.kubernetes.put(sshHosts, anInventoryHost('h1'))
    await world.reconcile()
    await world.reconcile(message)
    assert.equal(world.record().state, 'Pending')
  })

  it('ref 75: that names its claim without a uid keeps its NodeClaim', async () => {
    const world = aReconcileWorld({ hosts: [] })
    const conditions = [isTrueNow('Launched')]
    world.kubernetes.put(
      nodeClaims,
      aNodeClaim({ status: { providerID: 'kpssh://kpssh-system/h1', conditions } }),
    )
    const status = { state: 'InUse' as const, claimRef: { name: 'workers-abcde' } }
    world.kubernetes.put(sshHosts, anInventoryHost('h1', { status }))
    await world.reconcile()
    assert.equal((await world.nodeClaims()).length, 1)
    assert.equal(world.record().claim?.uid, 'uid-1')
    assert.deepEqual(await world.deps.bindings.get('uid-1'), aHostKey())
    assert.deepEqual(world.events.lines, [])
  })

  it('ref 100: is looked at at once when its login changes', async () => {
    const world = aReconcileWorld()
    await world.reconcile()
    world.kubernetes.put(sshHosts, anInventoryHost('h1', { spec: { user: 'ops' } }))
    await world.reconcile()
    await world.reconcile()
    const probes = world.sender
      .take('probe')
      .map(({ message }) => message.type === 'ProbeHosts' && message.reason)
    assert.deepEqual(probes, ['InventoryChanged'])
  })

  it('is looked at by messages of one pool each', async () => {
    const world = aReconcileWorld({ hosts: [] })
    for (const name of ['h1', 'h2', 'h3'])
      world.kubernetes.put(
        sshHosts,
        anInventoryHost(name, { spec: { pool: name === 'h2' ? 'shared' : 'lab' } }),
      )
    await world.reconcile()
    const probed = world.sender
      .take('probe')
      .map(({ message }) => message.type === 'ProbeHosts' && message.hosts)
    assert.deepEqual(probed, [[aHostKey('h1'), aHostKey('h3')], [{ ...aHostKey('h2'), pool: 'shared' }]])
  })
})
