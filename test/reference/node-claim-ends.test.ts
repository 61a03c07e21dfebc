// NodeClaims that find nothing, and NodeClaims that go. There, the cloud provider's Create, Delete and Get answer Karpenter core;
// here, reconcile plays both parts.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nodeClaims, nodePools, pods } from '../../lib/kubernetes/resources.ts'
import { aNodeClaim, aNodePool, aPod } from '../support/builders/kubernetes.ts'
import { aReconcileWorld, putMember, putPendingPod } from '../support/worlds/reconcile-world.ts'

describe('a NodeClaim that no host satisfies', () => {
  it('ref 134: is given up for want of capacity, where hosts of its class are too small', async () => {
    const world = aReconcileWorld()
    const resources = { requests: { cpu: '16' } }
    world.kubernetes.put(nodeClaims, aNodeClaim({ name: 'by-hand', spec: { resources } }))
    await world.reconcile()
    assert.deepEqual(world.events.lines, ['NodeClaim/by-hand InsufficientCapacityError'])
    assert.deepEqual(await world.nodeClaims(), [])
    assert.equal(world.record().claim, undefined)
  })
})

describe('a NodeClaim that is deleted', () => {
  it('ref 138: goes at once without a host: nobody is asked for anything', async () => {
    const world = aReconcileWorld({ hosts: [] })
    world.kubernetes.put(nodeClaims, aNodeClaim({ name: 'by-hand' }))
    await world.kubernetes.delete(nodeClaims, 'by-hand')
    await world.reconcile()
    assert.deepEqual(await world.nodeClaims(), [])
    assert.deepEqual(world.requests(), [])
  })

  it('ref 138: waits for the leave of its host otherwise', async () => {
    const world = aReconcileWorld()
    await putMember(world, 'h1')
    await world.kubernetes.delete(nodeClaims, 'of-h1')
    await world.reconcile()
    assert.deepEqual(world.requests(), ['leave h1'])
    assert.equal((await world.nodeClaims()).length, 1)
  })
})

describe('whose host is whose', () => {
  it('ref 139: is known for every NodeClaim that holds one, and for none that holds none', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2'] })
    await putMember(world, 'h1')
    await putMember(world, 'h2')
    for (const nodeName of ['of-h1', 'of-h2'])
      world.kubernetes.put(pods, aPod({ name: `on-${nodeName}`, spec: { nodeName } }))
    const metadata = { uid: 'uid-none', deletionTimestamp: '2026-01-01T00:00:00Z' }
    world.kubernetes.put(nodeClaims, aNodeClaim({ name: 'without', metadata }))
    await world.reconcile()
    const advanced = world.log.lines.filter(({ event }) => event === 'nodeclaim.advanced')
    assert.deepEqual(
      advanced.map(({ facts }) => [facts['nodeClaim'], facts['hostName'], facts['steps']]),
      [['without', '', 'remove-finalizer']],
    )
  })
})

describe('a NodePool of ours whose class does not exist', () => {
  it('ref 140: says so, and nothing is launched from it', async () => {
    const world = aReconcileWorld()
    const pool = aNodePool()
    const nodeClassRef = { ...pool.spec.template.spec.nodeClassRef, name: 'none' }
    const template = { spec: { ...pool.spec.template.spec, nodeClassRef } }
    world.kubernetes.put(nodePools, { ...pool, spec: { ...pool.spec, template } })
    putPendingPod(world, 'web')
    await world.reconcile()
    assert.deepEqual(await world.nodeClaims(), [])
    const conditions = (await world.kubernetes.get(nodePools, 'workers'))?.status?.conditions ?? []
    const reasons = conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)
    assert.ok(reasons.includes('NodeClassReady False NodeClassNotFound'), reasons.join())
  })
})
