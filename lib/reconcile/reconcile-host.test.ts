import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aHostKey, t0 } from '../../test/support/builders/hosts.ts'
import { aNodeClaim, aPod, isTrueNow } from '../../test/support/builders/kubernetes.ts'
import {
  aFreeRecord,
  aReconcileWorld,
  putMember,
  putPendingPod,
} from '../../test/support/worlds/reconcile-world.ts'
import { nodeClaims, nodes, pods, sshHosts } from '../kubernetes/resources.ts'

const settled = ['Launched', 'Registered', 'Initialized'].map((type) => isTrueNow(type))

describe('HostChanged', () => {
  it('after a leave finalizes the NodeClaim and lets the SSHHost go', async () => {
    const world = aReconcileWorld()
    await putMember(world, 'h1')
    await world.reconcile()
    await world.kubernetes.delete(nodeClaims, 'of-h1')
    await world.hostChanged()
    assert.deepEqual(world.requests(), ['leave h1'])
    // What the leave function leaves behind.
    world.kubernetes.vanish(nodes, 'of-h1')
    world.hosts.put(aFreeRecord('h1', { version: 9 }))
    await world.hostChanged()
    assert.deepEqual(await world.nodeClaims(), [])
    const sshHost = await world.kubernetes.get(sshHosts, 'h1', 'kpssh-system')
    assert.deepEqual([sshHost?.metadata.finalizers, sshHost?.status?.state], [[], 'Available'])
  })

  it('after a join registers the Node and tells the SSHHost', async () => {
    const world = aReconcileWorld()
    await putMember(world, 'h1', { state: 'Claimed', nodeName: undefined })
    const status = { providerID: 'kpssh://kpssh-system/h1', conditions: [isTrueNow('Launched')] }
    world.kubernetes.put(nodeClaims, aNodeClaim({ name: 'of-h1', metadata: { uid: 'uid-of-h1' }, status }))
    await world.hostChanged()
    assert.equal(world.record().state, 'InUse')
    const [nodeClaim] = await world.nodeClaims()
    assert.equal(nodeClaim?.status?.nodeName, 'of-h1')
    const sshHost = await world.kubernetes.get(sshHosts, 'h1', 'kpssh-system')
    assert.deepEqual(sshHost?.status?.claimRef, { name: 'of-h1', uid: 'uid-of-h1' })
  })

  it('ref 135: after a failed join deletes the NodeClaim with the reason of the join', async () => {
    const world = aReconcileWorld()
    const failure = {
      phase: 'join',
      reason: 'JoinFailed',
      message: 'join exited with code 1',
      blamesHost: true,
    }
    await putMember(world, 'h1', { claim: aClaim({ nodeClaim: 'of-h1', uid: 'uid-of-h1', failure }) })
    const status = { providerID: 'kpssh://kpssh-system/h1', conditions: [isTrueNow('Launched')] }
    world.kubernetes.put(nodeClaims, aNodeClaim({ name: 'of-h1', metadata: { uid: 'uid-of-h1' }, status }))
    await world.hostChanged()
    assert.deepEqual(
      world.events.told.map(({ object, type, reason, message }) => [object.name, type, reason, message]),
      [['of-h1', 'Warning', 'JoinFailed', 'join exited with code 1']],
    )
    const [nodeClaim] = await world.nodeClaims()
    assert.notEqual(nodeClaim?.metadata.deletionTimestamp, undefined)
  })

  it('of one host does not touch a NodeClaim of another that is on its way out', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2'] })
    await putMember(world, 'h1')
    world.kubernetes.put(pods, aPod({ spec: { nodeName: 'of-h1' } }))
    await world.kubernetes.delete(nodeClaims, 'of-h1')
    await world.hostChanged('h2')
    assert.notEqual(world.kubernetes.raw(nodes, 'of-h1'), undefined)
    assert.equal((await world.nodeClaims()).length, 1)
    assert.equal(world.record('h1').claim?.uid, 'uid-of-h1')
  })

  it('launches nothing: that needs to know the whole cluster', async () => {
    const world = aReconcileWorld()
    putPendingPod(world, 'web')
    await world.hostChanged()
    assert.deepEqual(await world.nodeClaims(), [])
  })

  it('of a host that the table does not know does nothing', async () => {
    const world = aReconcileWorld({ hosts: [] })
    assert.deepEqual(await world.hostChanged('h9'), { unknownHost: 1 })
    assert.deepEqual(world.kubernetes.requests, [])
  })

  it('says to another cluster of the same pool only what its SSHHost is to show', async () => {
    const world = aReconcileWorld()
    await putMember(world, 'h1', {
      claim: aClaim({ cluster: 'east', nodeClaim: 'of-h1', uid: 'uid-of-h1', joinedAtMs: t0 }),
    })
    await world.hostChanged()
    const sshHost = await world.kubernetes.get(sshHosts, 'h1', 'kpssh-system')
    assert.equal(sshHost?.status?.state, 'InUse')
    assert.deepEqual(
      world.kubernetes.requests.filter((request) => request.includes('nodeclaims')),
      [],
    )
  })
})

describe('a NodeClaim that is on its way out', () => {
  it('does not take the Node that its host has become for somebody else', async () => {
    const world = aReconcileWorld()
    await putMember(world, 'h1')
    world.kubernetes.put(nodeClaims, {
      ...aNodeClaim({ name: 'old', metadata: { uid: 'uid-old' } }),
      status: { providerID: 'kpssh://kpssh-system/h1', nodeName: 'old', conditions: settled },
    })
    await world.deps.bindings.bind('uid-old', aHostKey('h1'))
    await world.kubernetes.delete(nodeClaims, 'old')
    await world.reconcile()
    assert.notEqual(world.kubernetes.raw(nodes, 'of-h1'), undefined)
    assert.deepEqual(
      (await world.nodeClaims()).map(({ metadata }) => metadata.name),
      ['of-h1'],
    )
  })

  it('leaves its host also when no SSHHost names that any more', async () => {
    const world = aReconcileWorld()
    await putMember(world, 'h1')
    const record = world.record()
    await world.hosts.remove(record.key, record.version)
    const key = { ...record.key, pool: 'elsewhere' }
    world.hosts.put({ ...record, key })
    await world.deps.bindings.unbind('uid-of-h1', record.key)
    await world.deps.bindings.bind('uid-of-h1', key)
    world.kubernetes.vanish(sshHosts, 'h1', 'kpssh-system')
    await world.kubernetes.delete(nodeClaims, 'of-h1')
    await world.reconcile()
    assert.deepEqual(world.requests(), ['leave h1'])
    assert.notEqual(world.kubernetes.raw(nodes, 'of-h1'), undefined)
  })
})
