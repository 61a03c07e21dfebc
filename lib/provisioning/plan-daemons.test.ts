// DaemonSets take their share of every node, and what the written NodeClaim says.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aDaemonSet } from '../../test/support/builders/nodes.ts'
import { aNodePool, type NodePoolOverrides } from '../../test/support/builders/node-pools.ts'
import { aPendingPod } from '../../test/support/builders/pending-pods.ts'
import {
  aProvisioningSnapshot,
  aSizedHost,
  someHosts,
  unplacedCodes,
} from '../../test/support/builders/provisioning.ts'
import type { DaemonSet } from '../api/daemon-set.ts'
import type { Taint } from '../api/taint.ts'
import { nodeClaimManifest } from './node-claim-object.ts'
import { planProvisioning } from './plan-provisioning.ts'
import type { ProvisioningSnapshot } from './snapshot.ts'

const taint: Taint = { key: 'a', value: 'b', effect: 'NoSchedule' }

function plan(daemonSets: DaemonSet[], overrides: Partial<ProvisioningSnapshot> = {}) {
  return planProvisioning(
    aProvisioningSnapshot({ pendingPods: [aPendingPod()], hosts: someHosts(1), daemonSets, ...overrides }),
  )
}
/** What one NodeClaim for a pod of 1 CPU and 1Gi asks for, beside these DaemonSets. */
function requests(daemonSets: DaemonSet[], pool: NodePoolOverrides = {}) {
  const { nodeClaims } = plan(daemonSets, { nodePools: [aNodePool(pool)] })
  return nodeClaims[0]?.body.spec.resources?.requests
}
const alone = { cpu: '1', memory: '1Gi', pods: '1' }
const withDaemon = { cpu: '2', memory: '2Gi', pods: '2' }

function affinity(...terms: [string, string, string][]): object {
  const nodeSelectorTerms = terms.map(([key, operator, value]) => ({
    matchExpressions: [{ key, operator, values: [value] }],
  }))
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  }
}

describe('planProvisioning: daemon overhead', () => {
  it('KS-19: chooses a host that holds the pod and the daemons', () => {
    const sizes = ['2', '4'].map((cpu) => aSizedHost(`cpu-${cpu}`, cpu))
    const daemons = [aDaemonSet({ requests: { cpu: '2', memory: '2Gi' } })]
    const { nodeClaims } = plan(daemons, { freeHosts: new Map([['c', sizes]]) })
    assert.deepEqual(
      nodeClaims.map(({ host }) => host),
      ['test/kpssh-system/cpu-4'],
    )
  })

  it('KS-20: makes nothing where the daemons alone are too large', () => {
    assert.deepEqual(unplacedCodes(plan([aDaemonSet({ requests: { cpu: '100' } })])), ['pod: NoFreeHost'])
  })

  it('KS-21: makes nothing where a daemon has the host port that the pod wants', () => {
    const ports = [{ hostPort: 80, protocol: 'TCP' }]
    const needs = { hostPorts: [{ hostIP: '', port: 80, protocol: 'TCP' }] }
    const containers = [{ name: 'c', ports }]
    const pendingPods = [aPendingPod({ needs })]
    assert.deepEqual(unplacedCodes(plan([aDaemonSet({ spec: { containers } })], { pendingPods })), [
      'pod: NoHostFits',
    ])
    const elsewhere = aDaemonSet({ spec: { containers, nodeSelector: { a: 'b' } } })
    assert.equal(plan([elsewhere], { pendingPods }).nodeClaims.length, 1)
  })

  it('KS-22: counts a daemon that does not tolerate a startup taint', () => {
    assert.deepEqual(requests([aDaemonSet()], { startupTaints: [taint] }), withDaemon)
  })

  it('KS-23: counts no daemon that does not tolerate the taints of the pool, unless they only prefer', () => {
    const tolerations = [{ key: 'a', operator: 'Exists' }]
    const tolerant = aPendingPod({ needs: { tolerations } })
    const of = (effect: Taint['effect']) =>
      plan([aDaemonSet()], {
        nodePools: [aNodePool({ taints: [{ ...taint, effect }] })],
        pendingPods: [tolerant],
      }).nodeClaims[0]?.body.spec.resources?.requests
    assert.deepEqual(of('NoSchedule'), alone)
    assert.deepEqual(of('PreferNoSchedule'), withDaemon)
  })

  it('KS-25: heeds what a daemon selects', () => {
    const selects = (spec: object, pool: NodePoolOverrides = {}) => requests([aDaemonSet({ spec })], pool)
    assert.deepEqual(selects({ nodeSelector: { 'node.kubernetes.io/instance-type': 'none' } }), alone)
    assert.deepEqual(selects({ nodeSelector: { a: 'b' } }, { labels: { a: 'b' } }), withDaemon)
    assert.deepEqual(selects(affinity(['unknown', 'NotIn', 'x'])), withDaemon)
  })

  it('KS-26: counts a daemon of one host class on hosts of that class alone', () => {
    const daemons = [
      aDaemonSet({
        requests: { cpu: '2' },
        spec: { nodeSelector: { 'node.kubernetes.io/instance-type': 'a' } },
      }),
    ]
    const hosts = ['a', 'b'].map((name) => aSizedHost(name, '2'))
    const { nodeClaims } = plan(daemons, { freeHosts: new Map([['c', hosts]]) })
    assert.deepEqual(nodeClaims[0]?.host, 'test/kpssh-system/b')
    assert.deepEqual(nodeClaims[0].body.spec.resources?.requests, alone)
  })

  it('KS-28: counts a daemon one of whose alternatives fits, or whose preference alone does not', () => {
    const terms = affinity(['unknown', 'In', 'x'], ['kubernetes.io/os', 'In', 'linux'])
    assert.deepEqual(requests([aDaemonSet({ spec: terms })]), withDaemon)
    const preference = { matchExpressions: [{ key: 'unknown', operator: 'In', values: ['x'] }] }
    const wish = {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] },
    }
    assert.deepEqual(requests([aDaemonSet({ spec: { affinity: wish } })]), withDaemon)
  })
})

describe('planProvisioning: the NodeClaim', () => {
  it('KS-29: asks for what its pods and one of each daemon need', () => {
    assert.deepEqual(requests([]), alone)
    assert.deepEqual(requests([aDaemonSet()]), withDaemon)
    const pendingPods = ['a', 'b'].map((name) => aPendingPod({ name }))
    assert.deepEqual(plan([aDaemonSet()], { pendingPods }).nodeClaims[0]?.body.spec.resources?.requests, {
      cpu: '3',
      memory: '3Gi',
      pods: '3',
    })
  })

  it('KS-7: KS-18: KS-30: KS-31: says what its pool says, and whose it is', () => {
    const pool = aNodePool({
      labels: { team: 'a' },
      annotations: { note: 'n' },
      taints: [taint],
      startupTaints: [{ key: 's', effect: 'NoExecute' }],
      terminationGracePeriod: '1h',
      expireAfter: 'Never',
      requirements: [
        { key: 'rack', operator: 'In', values: ['r2', 'r1'] },
        { key: 'gen', operator: 'Gt', values: ['3'] },
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      ],
    })
    const pendingPods = [aPendingPod({ needs: { tolerations: [{ operator: 'Exists' }] } })]
    const { nodeClaims } = plan([], { nodePools: [pool], pendingPods })
    assert.deepEqual(nodeClaimManifest(nodeClaims[0]!.body, 'x7f2q'), {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name: 'p-x7f2q',
        labels: {
          team: 'a',
          'karpenter.sh/nodepool': 'p',
          'karpenter.dklesev.github.io/sshnodeclass': 'c',
          rack: 'r1',
          gen: '4',
        },
        annotations: {
          note: 'n',
          'karpenter.sh/nodepool-hash': 'eceb4f1df0a77ec4',
          'karpenter.sh/nodepool-hash-version': 'kpssh-1',
          'karpenter.dklesev.github.io/promised-pods': 'uid-pod',
        },
        ownerReferences: [
          {
            apiVersion: 'karpenter.sh/v1',
            kind: 'NodePool',
            name: 'p',
            uid: 'uid-p',
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        nodeClassRef: { group: 'karpenter.dklesev.github.io', kind: 'SSHNodeClass', name: 'c' },
        requirements: [
          { key: 'gen', operator: 'Gt', values: ['3'] },
          { key: 'karpenter.dklesev.github.io/sshnodeclass', operator: 'In', values: ['c'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
          { key: 'karpenter.sh/nodepool', operator: 'In', values: ['p'] },
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['small'] },
          { key: 'rack', operator: 'In', values: ['r1', 'r2'] },
          { key: 'team', operator: 'In', values: ['a'] },
        ],
        resources: { requests: alone },
        taints: [taint],
        startupTaints: [{ key: 's', effect: 'NoExecute' }],
        terminationGracePeriod: '1h',
        expireAfter: 'Never',
      },
    })
  })

  it('KS-18: says nothing of a terminationGracePeriod that the pool does not set', () => {
    assert.equal('terminationGracePeriod' in plan([]).nodeClaims[0]!.body.spec, false)
  })

  it('lists the host classes that fit, the smallest first', () => {
    const hosts = [aSizedHost('z-small', '2'), aSizedHost('a-large', '16'), aSizedHost('tiny', '500m')]
    const { nodeClaims } = plan([], { freeHosts: new Map([['c', hosts]]) })
    const types = nodeClaims[0]?.body.spec.requirements.find(
      ({ key }) => key === 'node.kubernetes.io/instance-type',
    )
    assert.deepEqual(types?.values, ['z-small', 'a-large'])
  })

  it('has a name that also fits the hostname label', () => {
    const { nodeClaims } = plan([], { nodePools: [aNodePool({ name: 'p'.repeat(80) })] })
    const { metadata } = nodeClaimManifest(nodeClaims[0]!.body, 'abcde') as { metadata: { name: string } }
    assert.equal(metadata.name, `${'p'.repeat(57)}-abcde`)
    assert.equal(metadata.name.length, 63)
  })

  it('KS-32: is made for pods that tolerate the taints of the pool', () => {
    const placed = (...tolerations: object[]) =>
      plan([], {
        nodePools: [aNodePool({ taints: [taint] })],
        pendingPods: [aPendingPod({ needs: { tolerations } })],
      }).nodeClaims.length === 1
    assert.equal(placed({ key: 'a', operator: 'Exists' }), true)
    assert.equal(placed({ key: 'a', operator: 'Exists', effect: 'NoSchedule' }), true)
    assert.equal(placed({ key: 'a', value: 'b' }), true)
    assert.equal(placed({ key: 'a', value: 'c' }), false)
    assert.equal(placed({ key: 'a', operator: 'Exists', effect: 'NoExecute' }), false)
    assert.equal(placed(), false)
  })
})
