// Node classes: who holds one, and which NodeClaims are ours at all.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isOurNodeClassRef } from '../../lib/api/node-class-ref.ts'
import { joinHash } from '../../lib/api/join-hash.ts'
import { nodeClaims, sshNodeClasses } from '../../lib/kubernetes/resources.ts'
import { aNodeClaim, aNodeClass } from '../support/builders/kubernetes.ts'
import { aReconcileWorld, type ReconcileWorld } from '../support/worlds/reconcile-world.ts'

const ours = { group: 'karpenter.dklesev.github.io', kind: 'SSHNodeClass', name: 'rack' }
const amazon = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'rack' }

/** The class `rack` was deleted; it is held by the finalizer alone. */
async function aWorldWithDeletedClass(): Promise<ReconcileWorld> {
  const world = aReconcileWorld()
  await world.kubernetes.delete(sshNodeClasses, 'rack')
  return world
}

describe('the finalizer of an SSHNodeClass', () => {
  it('ref 116: is there from the first look on, and stays while a NodeClaim of the class exists', async () => {
    const world = aReconcileWorld()
    world.kubernetes.put(sshNodeClasses, aNodeClass({ metadata: { finalizers: [] } }))
    await world.reconcile()
    const held = await world.kubernetes.get(sshNodeClasses, 'rack')
    assert.deepEqual(held?.metadata.finalizers, ['karpenter.dklesev.github.io/termination'])
    world.kubernetes.put(nodeClaims, aNodeClaim())
    await world.kubernetes.delete(sshNodeClasses, 'rack')
    await world.reconcile()
    assert.notEqual(world.kubernetes.raw(sshNodeClasses, 'rack'), undefined)
  })

  it('ref 117: goes when only NodeClaims of other classes are left', async () => {
    const world = await aWorldWithDeletedClass()
    world.kubernetes.put(nodeClaims, aNodeClaim({ spec: { nodeClassRef: { ...ours, name: 'other' } } }))
    await world.reconcile()
    assert.equal(world.kubernetes.raw(sshNodeClasses, 'rack'), undefined)
  })

  it('ref 117: goes though a NodeClaim of somebody else refers to a class of the same name', async () => {
    const world = await aWorldWithDeletedClass()
    world.kubernetes.put(nodeClaims, aNodeClaim({ spec: { nodeClassRef: amazon } }))
    await world.reconcile()
    assert.equal(world.kubernetes.raw(sshNodeClasses, 'rack'), undefined)
  })
})

describe('a NodeClaim', () => {
  for (const [id, whose, nodeClassRef, steps] of [
    ['ref 118', 'of ours', ours, 1],
    ['ref 118', 'of another group', { ...ours, group: 'example.com' }, 0],
    ['ref 118', 'of another kind', { ...ours, kind: 'EC2NodeClass' }, 0],
  ] as const) {
    it(`${id}: ${whose} is ${steps === 1 ? '' : 'not '}carried on`, async () => {
      const world = aReconcileWorld()
      world.kubernetes.put(nodeClaims, aNodeClaim({ spec: { nodeClassRef } }))
      await world.reconcile()
      assert.equal(world.requests().length, steps)
    })
  }

  it('ref 145: is ours if and only if group and kind of its class are', () => {
    const refs = [
      undefined,
      ours,
      amazon,
      { ...ours, kind: 'EC2NodeClass' },
      { ...ours, group: amazon.group },
    ]
    assert.deepEqual(refs.map(isOurNodeClassRef), [false, true, false, false, false])
  })
})

describe('the hash of a node class', () => {
  it('ref 144: does not change with price, selector, size or profile: they change no joined node', () => {
    const { spec } = aNodeClass({ spec: { vars: { k8sMinor: '1.36' } } })
    const others = {
      pricePerCPUHour: '7.5',
      hostSelector: { matchLabels: { rack: 'r1' } },
      maxPods: 12,
      kubeReserved: { cpu: '1' },
      joinProfileRef: { name: 'other' },
    }
    assert.equal(joinHash({ ...spec, ...others }), joinHash(spec))
    assert.notEqual(joinHash({ ...spec, providerIDSource: 'Adopt' }), joinHash(spec))
    assert.notEqual(joinHash({ ...spec, joinSecretRef: { name: 'activation' } }), joinHash(spec))
  })
})
