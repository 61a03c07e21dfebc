// Which pool serves a pod, and how much it may.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aNode, aNodeClaim } from '../../test/support/builders/nodes.ts'
import { aNodePool } from '../../test/support/builders/node-pools.ts'
import { aPendingPod, pendingPods } from '../../test/support/builders/pending-pods.ts'
import {
  aProvisioningSnapshot,
  aSizedHost,
  podsPerNodeClaim,
  someHosts,
  unplacedCodes,
} from '../../test/support/builders/provisioning.ts'
import { planProvisioning } from './plan-provisioning.ts'

const soft = { key: 'soft', effect: 'PreferNoSchedule' } as const

function poolsOf(nodePools: Parameters<typeof aProvisioningSnapshot>[0] & object): string[] {
  const plan = planProvisioning(
    aProvisioningSnapshot({ pendingPods: [aPendingPod()], hosts: someHosts(3), ...nodePools }),
  )
  return plan.nodeClaims.map(({ nodePool }) => nodePool)
}
function limited(
  limits: Record<string, string>,
  pods: Parameters<typeof aPendingPod>[0][],
  hosts = someHosts(3),
) {
  return planProvisioning(
    aProvisioningSnapshot({
      nodePools: [aNodePool({ limits })],
      pendingPods: pods.map((pod, index) => aPendingPod({ name: `pod-${index}`, ...pod })),
      hosts,
    }),
  )
}

describe('planProvisioning: the pool', () => {
  it('KS-4: ignores a pool that is being deleted', () => {
    assert.deepEqual(poolsOf({ nodePools: [aNodePool({ deletionTimestamp: '2026-01-01T00:00:00Z' })] }), [])
  })

  it('KS-5: leaves pods pending where there is no pool, and says so', () => {
    const plan = planProvisioning(aProvisioningSnapshot({ nodePools: [], pendingPods: [aPendingPod()] }))
    assert.deepEqual(unplacedCodes(plan), ['pod: NoNodePool'])
  })

  it('KS-6: ignores a pool that is not Ready', () => {
    assert.deepEqual(poolsOf({ nodePools: [aNodePool({ isReady: false })] }), [])
  })

  it('KS-8: takes the heavier pool', () => {
    assert.deepEqual(
      poolsOf({ nodePools: [aNodePool({ name: 'light' }), aNodePool({ name: 'heavy', weight: 10 })] }),
      ['heavy'],
    )
  })

  it('takes the last pool by name where the weights are equal', () => {
    assert.deepEqual(poolsOf({ nodePools: [aNodePool({ name: 'a' }), aNodePool({ name: 'b' })] }), ['b'])
  })

  it('KS-9: takes the lighter pool where the pod names it', () => {
    const needs = { nodeSelector: { 'karpenter.sh/nodepool': 'light' } }
    const nodePools = [aNodePool({ name: 'light' }), aNodePool({ name: 'heavy', weight: 10 })]
    assert.deepEqual(poolsOf({ nodePools, pendingPods: [aPendingPod({ needs })] }), ['light'])
  })

  it('KS-10: avoids a pool with a PreferNoSchedule taint while another will do', () => {
    const tainted = aNodePool({ name: 'tainted', weight: 10, taints: [soft] })
    assert.deepEqual(poolsOf({ nodePools: [tainted, aNodePool({ name: 'plain' })] }), ['plain'])
    assert.deepEqual(poolsOf({ nodePools: [tainted] }), ['tainted'])
  })

  it('KS-11: makes nothing for a pool with replicas', () => {
    const fixed = aNodePool({ name: 'fixed', replicas: 1, weight: 10 })
    assert.deepEqual(poolsOf({ nodePools: [fixed] }), [])
    assert.deepEqual(poolsOf({ nodePools: [fixed, aNodePool()] }), ['p'])
  })

  it('KS-186: leaves a pod to a neighbor whose pool could serve it, unless the pod asks for ours', () => {
    const nodePools = [aNodePool(), aNodePool({ name: 'theirs', kind: 'EC2NodeClass' })]
    assert.deepEqual(poolsOf({ nodePools }), [])
    const needs = { nodeSelector: { 'karpenter.sh/nodepool': 'p' } }
    assert.deepEqual(poolsOf({ nodePools, pendingPods: [aPendingPod({ needs })] }), ['p'])
  })

  it('KS-186: serves a pod that no pool of the neighbor would take', () => {
    const taints = [{ key: 'theirs', effect: 'NoSchedule' } as const]
    const theirs = [
      aNodePool({ name: 'a', kind: 'EC2NodeClass', taints }),
      aNodePool({ name: 'b', kind: 'EC2NodeClass', isReady: false }),
    ]
    assert.deepEqual(poolsOf({ nodePools: [aNodePool(), ...theirs] }), ['p'])
  })

  it('leaves out a pool that it cannot read, and says so', () => {
    const requirements = [{ key: 'a', operator: 'Like', values: ['b'] }]
    const plan = planProvisioning(
      aProvisioningSnapshot({
        nodePools: [aNodePool({ name: 'bad', requirements }), aNodePool()],
        pendingPods: [aPendingPod()],
        hosts: someHosts(1),
      }),
    )
    assert.equal(plan.nodeClaims.length, 1)
    assert.deepEqual(plan.problems, [
      'NodePool "bad": Cannot require the label "a": the operator is "Like", it must be one that NodePools may use',
    ])
  })
})

describe('planProvisioning: limits', () => {
  it('KS-12: makes nothing beyond a limit that is used up', () => {
    const plan = planProvisioning(
      aProvisioningSnapshot({
        nodePools: [aNodePool({ limits: { cpu: '20' } })],
        nodeClaims: [aNodeClaim({ capacity: { cpu: '100', memory: '1Gi' }, providerID: 'x' })],
        nodes: [aNode({ providerID: 'x', allocatable: { cpu: '0', memory: '0' } })],
        pendingPods: [aPendingPod()],
        hosts: someHosts(1),
      }),
    )
    assert.deepEqual(unplacedCodes(plan), ['pod: LimitReached'])
  })

  it('KS-13: uses a limit that is just enough', () => {
    const plan = limited({ cpu: '2' }, [{ cpu: '1750m' }], [aSizedHost('two', '2')])
    assert.equal(plan.nodeClaims.length, 1)
  })

  it('KS-14: places one of two that do not fit together within the limit', () => {
    const hosts = [aSizedHost('a', '2'), aSizedHost('b', '2')]
    const plan = limited({ cpu: '3' }, [{ cpu: '1500m' }, { cpu: '1500m' }], hosts)
    assert.deepEqual(podsPerNodeClaim(plan), [['pod-0']])
    assert.deepEqual(unplacedCodes(plan), ['pod-1: LimitReached'])
  })

  it('KS-15: places none that is larger than the limit, of any resource', () => {
    assert.deepEqual(unplacedCodes(limited({ cpu: '2' }, [{ cpu: '2100m' }], [aSizedHost('a', '4')])), [
      'pod-0: LimitReached',
    ])
    const gpus = { ...aSizedHost('a', '4'), capacity: { cpu: '4', memory: '64Gi', gpu: '4', pods: '110' } }
    const host = { ...gpus, allocatable: gpus.capacity }
    assert.deepEqual(unplacedCodes(limited({ gpu: '1' }, [{ requests: { gpu: '2' } }], [host])), [
      'pod-0: LimitReached',
    ])
  })

  it('KS-16: counts NodeClaims that have no host yet', () => {
    const plan = planProvisioning(
      aProvisioningSnapshot({
        nodePools: [aNodePool({ limits: { cpu: '4' } })],
        nodeClaims: [aNodeClaim({ requests: { cpu: '4' } })],
        pendingPods: pendingPods(2, { cpu: '4' }),
        hosts: someHosts(3),
      }),
    )
    assert.deepEqual(plan.nominations, [{ podUid: 'uid-pod-0', target: 'nc1' }])
    assert.deepEqual(unplacedCodes(plan), ['pod-1: LimitReached'])
  })

  it('KS-17: counts nodes', () => {
    const plan = limited({ nodes: '2' }, [{ cpu: '3' }, { cpu: '3' }, { cpu: '3' }])
    assert.deepEqual(podsPerNodeClaim(plan), [['pod-0'], ['pod-1']])
    assert.deepEqual(unplacedCodes(plan), ['pod-2: LimitReached'])
  })

  it('does not count NodeClaims that are being deleted', () => {
    const plan = planProvisioning(
      aProvisioningSnapshot({
        nodePools: [aNodePool({ limits: { nodes: '1' } })],
        nodeClaims: [aNodeClaim({ capacity: { cpu: '4' }, deletionTimestamp: '2026-01-01T00:00:00Z' })],
        pendingPods: [aPendingPod()],
        hosts: someHosts(1),
      }),
    )
    assert.equal(plan.nodeClaims.length, 1)
  })
})
