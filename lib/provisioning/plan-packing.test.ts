// How pods share hosts.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aFreeHost } from '../../test/support/builders/free-hosts.ts'
import { aNodePool } from '../../test/support/builders/node-pools.ts'
import { aPendingPod, pendingPods, type PodOverrides } from '../../test/support/builders/pending-pods.ts'
import {
  aProvisioningSnapshot,
  aSizedHost,
  podsPerNodeClaim,
  someHosts,
  unplacedCodes,
} from '../../test/support/builders/provisioning.ts'
import type { FreeHost } from './free-host.ts'
import { planProvisioning, type ProvisioningPlan } from './plan-provisioning.ts'

function plan(pods: PodOverrides[], hosts: FreeHost[]): ProvisioningPlan {
  const pendingPods = pods.map((pod, index) => aPendingPod({ name: `pod-${index}`, ...pod }))
  return planProvisioning(aProvisioningSnapshot({ pendingPods, hosts }))
}
function hostsOf({ nodeClaims }: ProvisioningPlan): string[] {
  return nodeClaims.map(({ host }) => host.replace('test/kpssh-system/', ''))
}
const mixed = [aSizedHost('large', '16'), aSizedHost('small', '2'), aSizedHost('middle', '4')]

describe('planProvisioning: packing', () => {
  it('KS-49: gives a small pod the smallest host that fits', () => {
    assert.deepEqual(hostsOf(plan([{ cpu: '1' }], mixed)), ['small'])
  })

  it('KS-50: puts five small pods on one host', () => {
    const placed = plan(
      [{}, {}, {}, {}, {}].map(() => ({ cpu: '300m' })),
      mixed,
    )
    assert.deepEqual(hostsOf(placed), ['small'])
    assert.equal(placed.nodeClaims[0]?.pods.length, 5)
  })

  it('moves up to a larger host rather than opening a second one', () => {
    assert.deepEqual(hostsOf(plan([{ cpu: '3' }, { cpu: '3' }, { cpu: '3' }], mixed)), ['large'])
  })

  it('KS-51: opens a second NodeClaim for what does not fit on any host with the rest', () => {
    assert.deepEqual(hostsOf(plan([{ cpu: '15' }, { cpu: '3' }], mixed)), ['large', 'middle'])
  })

  it('KS-51: heeds how many pods a host may run', () => {
    const hosts = someHosts(2, { capacity: { cpu: '4', memory: '8Gi', pods: '2' } })
    assert.deepEqual(
      podsPerNodeClaim(plan([{}, {}, {}], hosts)).map(({ length }) => length),
      [2, 1],
    )
  })

  it('KS-52: places the large ones first and fills the holes with small ones', () => {
    const pods = [{ cpu: '1' }, { cpu: '3' }, { cpu: '1' }, { cpu: '3' }]
    assert.deepEqual(podsPerNodeClaim(plan(pods, someHosts(2))), [
      ['pod-0', 'pod-1'],
      ['pod-2', 'pod-3'],
    ])
  })

  it('KS-53: takes a request of zero for none', () => {
    assert.equal(plan([{ requests: { 'nvidia.com/gpu': '0' } }], mixed).nodeClaims.length, 1)
  })

  it('KS-54: leaves a pod that is larger than any host pending, and says of what there is too little', () => {
    const { unplaced } = plan([{ cpu: '17', memory: '100Gi' }], mixed)
    assert.deepEqual(unplaced[0]?.reasons, [
      { code: 'NoHostFits', nodePool: 'p', message: 'none of 3 free hosts has enough cpu, memory' },
    ])
  })

  it('KS-54: opens separate NodeClaims for pods that need different hosts', () => {
    const hosts = [aSizedHost('fast', '16', '4Gi'), aSizedHost('wide', '2', '64Gi')]
    assert.deepEqual(hostsOf(plan([{ cpu: '8' }, { memory: '32Gi' }], hosts)), ['fast', 'wide'])
    assert.deepEqual(unplacedCodes(plan([{ cpu: '8', memory: '32Gi' }], hosts)), ['pod-0: NoHostFits'])
  })

  it('KS-63: gives two pods with the same host port a node each', () => {
    const needs = { hostPorts: [{ hostIP: '', port: 8080, protocol: 'TCP' }] }
    assert.equal(plan([{ needs }, { needs }], someHosts(2)).nodeClaims.length, 2)
    const apart = ['10.0.0.1', '10.0.0.2'].map((hostIP) => ({
      needs: { hostPorts: [{ hostIP, port: 8080, protocol: 'TCP' }] },
    }))
    assert.equal(plan(apart, someHosts(2)).nodeClaims.length, 1)
  })

  it('KS-68: leaves at most one node with room for the smallest pod', () => {
    const pods = Array.from({ length: 23 }, () => ({ cpu: '1', memory: '0' }))
    const sizes = plan(pods, someHosts(9)).nodeClaims.map(({ pods: { length } }) => length)
    assert.deepEqual(sizes, [4, 4, 4, 4, 4, 3])
  })

  it('is the same whatever the order in which things are listed', () => {
    const pods = [{ cpu: '3' }, { cpu: '1' }, { cpu: '2' }, { cpu: '1' }]
    const forward = aProvisioningSnapshot({
      pendingPods: pods.map((pod, index) => aPendingPod({ name: `pod-${index}`, ...pod })),
      hosts: mixed,
    })
    const backward = {
      ...forward,
      pendingPods: forward.pendingPods.toReversed(),
      freeHosts: new Map([['c', mixed.toReversed()]]),
    }
    assert.deepEqual(planProvisioning(backward), planProvisioning(forward))
  })
})

describe('planProvisioning: hosts are finite', () => {
  it('KS-113: opens as many NodeClaims as there are free hosts, and names the class to the pods that wait', () => {
    const placed = planProvisioning(
      aProvisioningSnapshot({
        pendingPods: pendingPods(5, { cpu: '3' }),
        hosts: someHosts(3, { hostClass: 'small' }),
      }),
    )
    assert.equal(placed.nodeClaims.length, 3)
    assert.deepEqual(
      placed.unplaced.map(({ name, reasons }) => [name, reasons[0]?.code, reasons[0]?.message]),
      [
        ['pod-3', 'NoFreeHost', 'every free host of class small that fits is taken by another NodeClaim'],
        ['pod-4', 'NoFreeHost', 'every free host of class small that fits is taken by another NodeClaim'],
      ],
    )
  })

  it('KS-111: does not count a host twice that two pools share', () => {
    const nodePools = [aNodePool({ name: 'a', nodeClass: 'ca' }), aNodePool({ name: 'b', nodeClass: 'cb' })]
    const pods = ['a', 'b'].map((pool) =>
      aPendingPod({ name: pool, needs: { nodeSelector: { 'karpenter.sh/nodepool': pool } } }),
    )
    const freeHosts = new Map([
      ['ca', [aFreeHost()]],
      ['cb', [aFreeHost()]],
    ])
    const placed = planProvisioning({ ...aProvisioningSnapshot({ nodePools, pendingPods: pods }), freeHosts })
    assert.deepEqual(podsPerNodeClaim(placed), [['a']])
    assert.deepEqual(unplacedCodes(placed), ['b: NoFreeHost, RequirementsConflict'])
  })

  it('moves a NodeClaim to another host that fits it so that one more can be opened', () => {
    const any = { name: 'any', cpu: '2' }
    const picky = { name: 'picky', cpu: '1', needs: { nodeSelector: { 'kubernetes.io/arch': 'arm64' } } }
    const hosts = [
      aFreeHost({ name: 'a', arch: 'arm64', capacity: { cpu: '2', memory: '8Gi', pods: '9' } }),
      aFreeHost({ name: 'b', capacity: { cpu: '3', memory: '8Gi', pods: '9' } }),
    ]
    assert.deepEqual(hostsOf(plan([any, picky], hosts)), ['b', 'a'])
  })

  it('says that no host is free where none is', () => {
    assert.deepEqual(plan([{}], []).unplaced[0]?.reasons, [
      { code: 'NoFreeHost', nodePool: 'p', message: 'no host is free' },
    ])
  })

  it('gives the pods that wait the reasons of every pool', () => {
    const taints = [{ key: 'a', effect: 'NoSchedule' } as const]
    const nodePools = [aNodePool({ name: 'a', taints }), aNodePool({ name: 'b', labels: { x: 'y' } })]
    const placed = planProvisioning(
      aProvisioningSnapshot({
        nodePools,
        pendingPods: [aPendingPod({ needs: { nodeSelector: { x: 'z' } } })],
      }),
    )
    assert.deepEqual(unplacedCodes(placed), ['pod: RequirementsConflict, TaintNotTolerated'])
  })
})
