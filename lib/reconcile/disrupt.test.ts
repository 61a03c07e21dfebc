import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aPod } from '../../test/support/builders/kubernetes.ts'
import {
  aReconcileWorld,
  bindPod,
  putMember,
  putPendingPod,
  type ReconcileWorld,
} from '../../test/support/worlds/reconcile-world.ts'
import { nodeClaims, nodePools, nodes, pods } from '../kubernetes/resources.ts'

/** A member for an hour, and nothing ever ran on it. */
async function aWorldWithIdleMember(): Promise<ReconcileWorld> {
  const world = aReconcileWorld()
  await putMember(world, 'h1')
  world.clock.advance(3_600_000)
  return world
}

async function disruptedTaintOf(world: ReconcileWorld): Promise<boolean> {
  const node = await world.kubernetes.get(nodes, 'of-h1')
  return node?.spec?.taints?.some(({ key }) => key === 'karpenter.sh/disrupted') === true
}

function consolidateAfter(world: ReconcileWorld, duration: string): void {
  const pool = world.kubernetes.raw(nodePools, 'workers')
  const spec = pool?.spec as { readonly disruption: object }
  world.kubernetes.put(nodePools, {
    ...pool,
    spec: { ...spec, disruption: { ...spec.disruption, consolidateAfter: duration } },
  })
}

describe('an empty Node', () => {
  it('goes once consolidateAfter has passed since its last pod', async () => {
    const world = await aWorldWithIdleMember()
    consolidateAfter(world, '60s')
    world.kubernetes.put(pods, aPod({ spec: { nodeName: 'of-h1' } }))
    await world.reconcile()
    world.kubernetes.vanish(pods, 'web-1', 'default')
    world.clock.advance(30_000)
    await world.reconcile()
    await world.heartbeat(59_000)
    assert.deepEqual(world.requests(), [])
    await world.heartbeat(1_000)
    assert.deepEqual(world.requests(), ['leave h1'])
    assert.deepEqual(world.events.lines, ['NodeClaim/of-h1 DisruptionTerminating'])
    const [nodeClaim] = await world.nodeClaims()
    assert.notEqual(nodeClaim?.metadata.deletionTimestamp, undefined)
  })

  it('stays and loses the taint again when a pod was bound between look and act', async () => {
    const world = await aWorldWithIdleMember()
    world.kubernetes.before = (verb, plural) => {
      if (verb !== 'patch' || plural !== 'nodes') return
      world.kubernetes.before = undefined
      world.kubernetes.put(pods, aPod({ spec: { nodeName: 'of-h1' } }))
    }
    await world.reconcile()
    assert.deepEqual(world.requests(), [])
    assert.equal(await disruptedTaintOf(world), false)
    const [nodeClaim] = await world.nodeClaims()
    assert.equal(nodeClaim?.metadata.deletionTimestamp, undefined)
  })

  it('stays while a pending pod is expected on it', async () => {
    const world = await aWorldWithIdleMember()
    putPendingPod(world, 'web')
    await world.reconcile()
    assert.deepEqual(world.requests(), [])
    assert.equal((await world.nodeClaims()).length, 1)
  })

  it('stays when the watcher could not tell what is bound to it', async () => {
    const world = await aWorldWithIdleMember()
    const before = world.kubernetes.requests.length
    await world.reconcile(await world.observe({ degraded: ['boundPods:20000'] }))
    assert.deepEqual(world.requests(), [])
    const writes = world.kubernetes.requests
      .slice(before)
      .filter((request) => /patch.* (nodes|nodeclaims)/.test(request))
    assert.deepEqual(writes, [])
  })

  it('goes though a rival patched the Node meanwhile, one activation later', async () => {
    const world = await aWorldWithIdleMember()
    world.kubernetes.before = (verb, plural) => {
      if (verb !== 'patch' || plural !== 'nodes') return
      world.kubernetes.before = undefined
      world.kubernetes.put(nodes, { ...world.kubernetes.raw(nodes, 'of-h1') })
    }
    await world.reconcile()
    assert.deepEqual(world.requests(), [])
    await world.heartbeat()
    assert.deepEqual(world.requests(), ['leave h1'])
  })

  it('loses a taint that a killed activation left behind, once it carries pods', async () => {
    const world = await aWorldWithIdleMember()
    const node = world.kubernetes.raw(nodes, 'of-h1')
    const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }]
    world.kubernetes.put(nodes, { ...node, spec: { ...(node?.spec as object), taints } })
    world.kubernetes.put(pods, aPod({ spec: { nodeName: 'of-h1' } }))
    await world.reconcile()
    assert.equal(await disruptedTaintOf(world), false)
  })
})

describe('a Node that carries a pod', () => {
  it('stays however long', async () => {
    const world = await aWorldWithIdleMember()
    putPendingPod(world, 'web')
    bindPod(world, 'web', 'of-h1')
    await world.heartbeat(86_400_000)
    assert.deepEqual(world.requests(), [])
    assert.equal(world.kubernetes.raw(nodeClaims, 'of-h1')?.['metadata'] !== undefined, true)
  })
})
