// Demand is read off the cluster in every activation, never kept in a queue; capacity is what can be seen, never what was ordered.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nodes, pods } from '../../lib/kubernetes/resources.ts'
import { aPod, isTrueNow } from '../support/builders/kubernetes.ts'
import {
  aReconcileWorld,
  bindPod,
  putMember,
  putPendingPod,
  type ReconcileWorld,
} from '../support/worlds/reconcile-world.ts'

function claimedHosts(world: ReconcileWorld): readonly string[] {
  return world.hosts.records.filter(({ claim }) => claim !== undefined).map(({ key }) => key.name)
}

describe('SQS-04', () => {
  it('SQS-04: the observation of a pod that is lost is made up for by the next heartbeat', async () => {
    const world = aReconcileWorld()
    putPendingPod(world, 'web')
    await world.observe()
    assert.deepEqual(claimedHosts(world), [])
    await world.heartbeat()
    assert.deepEqual(world.requests(), ['join h1'])
  })

  it('SQS-04: a request that is purged from its queue is made again by a heartbeat', async () => {
    const world = aReconcileWorld()
    putPendingPod(world, 'web')
    await world.reconcile()
    assert.equal(world.sender.take('join').length, 1)
    await world.heartbeat()
    assert.deepEqual(world.requests(), [])
    await world.heartbeat()
    assert.deepEqual(world.requests(), ['join h1'])
    assert.equal((await world.nodeClaims()).length, 1)
  })

  it('SQS-04: a leave that is purged from its queue is asked for again as well', async () => {
    const world = aReconcileWorld()
    await putMember(world, 'h1')
    await world.reconcile()
    assert.equal(world.sender.take('leave').length, 1)
    await world.heartbeat()
    await world.heartbeat()
    assert.deepEqual(world.requests(), ['leave h1'])
  })
})

describe('SQS-22', () => {
  const messageAbout = ({ events }: ReconcileWorld, pod: string) =>
    events.told.find(({ object }) => object.name === pod)?.message

  it('SQS-22: a pod that fits no NodePool is told why, by each of them', async () => {
    const world = aReconcileWorld()
    putPendingPod(world, 'web', { spec: { nodeSelector: { 'example.com/disk': 'fast' } } })
    await world.reconcile()
    assert.deepEqual(await world.nodeClaims(), [])
    assert.deepEqual(world.events.lines, ['Pod/web FailedScheduling'])
    assert.match(messageAbout(world, 'web') ?? '', /^NodePool "workers": .*example\.com\/disk/)
  })

  it('SQS-22: a pod that is larger than every host is told so', async () => {
    const world = aReconcileWorld()
    putPendingPod(world, 'web', { cpu: '64' })
    await world.reconcile()
    assert.match(messageAbout(world, 'web') ?? '', /^NodePool "workers": .*host/)
  })

  it('SQS-22: an SSHNodeClass that selects no host says so, and so does the pod', async () => {
    const world = aReconcileWorld({ hosts: [] })
    putPendingPod(world, 'web')
    await world.reconcile()
    assert.deepEqual(world.events.lines, ['SSHNodeClass/rack NoHosts', 'Pod/web FailedScheduling'])
  })
})

describe('SQS-23', () => {
  it('SQS-23: a host that was ordered counts until its time is up, then another is taken', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2'] })
    putPendingPod(world, 'web')
    await world.reconcile()
    const { claim, ...record } = world.record('h1')
    assert.ok(claim)
    const joined = { ...claim, joinedAtMs: world.clock.nowMs() }
    world.hosts.put({ ...record, version: 3, claim: joined, state: 'InUse', leavePending: true })
    await world.heartbeat(60_000)
    assert.deepEqual(claimedHosts(world), ['h1'])
    // Install 10 min, join 5 min and 5 min more: no Node has come.
    await world.heartbeat(20 * 60_000)
    assert.deepEqual(claimedHosts(world), ['h1', 'h2'])
    assert.deepEqual(world.requests(), ['join h1', 'leave h1', 'join h2'])
    const { failures } = world.record('h1')
    assert.deepEqual([failures?.lastReason, failures?.count], ['RegistrationTimeout', 1])
  })

  it('SQS-23: a Node whose agent is dead is no capacity, however initialized it was', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2'] })
    await putMember(world, 'h1')
    world.kubernetes.put(pods, aPod({ spec: { nodeName: 'of-h1' } }))
    const node = world.kubernetes.raw(nodes, 'of-h1')
    const taints = [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }]
    const conditions = [{ ...isTrueNow('Ready'), status: 'Unknown' }]
    world.kubernetes.put(nodes, {
      ...node,
      spec: { ...(node?.['spec'] as object), taints },
      status: { ...(node?.['status'] as object), conditions },
    })
    putPendingPod(world, 'web')
    await world.reconcile()
    assert.deepEqual(claimedHosts(world), ['h1', 'h2'])
  })

  it('SQS-23: of a Node only what its pods leave is capacity', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2'] })
    await putMember(world, 'h1')
    putPendingPod(world, 'half', { cpu: '2' })
    bindPod(world, 'half', 'of-h1')
    putPendingPod(world, 'fits', { cpu: '1500m' })
    await world.reconcile()
    assert.deepEqual(claimedHosts(world), ['h1'])
    putPendingPod(world, 'too-large', { cpu: '3' })
    await world.reconcile()
    assert.deepEqual(claimedHosts(world), ['h1', 'h2'])
  })
})
