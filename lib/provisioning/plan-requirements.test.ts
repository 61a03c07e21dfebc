// Whether a node will have the labels that a pod asks for.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aFreeHost } from '../../test/support/builders/free-hosts.ts'
import { aNodePool, type NodePoolOverrides } from '../../test/support/builders/node-pools.ts'
import { aPendingPod } from '../../test/support/builders/pending-pods.ts'
import {
  aProvisioningSnapshot,
  podsPerNodeClaim,
  unplacedCodes,
} from '../../test/support/builders/provisioning.ts'
import type { Requirement } from '../api/node-pool.ts'
import { planProvisioning, type ProvisioningPlan } from './plan-provisioning.ts'

const zones = ['zone-1', 'zone-2', 'zone-3']
const hosts = zones.map((zone) => aFreeHost({ name: zone, zone }))
const zone = 'topology.kubernetes.io/zone'

function plan(needs: object, pool: NodePoolOverrides = {}): ProvisioningPlan {
  return planProvisioning(
    aProvisioningSnapshot({ nodePools: [aNodePool(pool)], pendingPods: [aPendingPod({ needs })], hosts }),
  )
}
function isPlaced(needs: object, pool: NodePoolOverrides = {}): boolean {
  return plan(needs, pool).nodeClaims.length === 1
}
function required(...terms: Requirement[][]): object {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }))
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
}
function preferred(...preferences: [number, Requirement][]): object {
  const terms = preferences.map(([weight, term]) => ({ weight, preference: { matchExpressions: [term] } }))
  return { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } }
}
function is(key: string, operator: string, ...values: string[]): Requirement {
  return { key, operator, ...(values.length > 0 ? { values } : {}) }
}
function zonesOf({ nodeClaims }: ProvisioningPlan): (string[] | undefined)[] {
  return nodeClaims.map(({ body }) => body.spec.requirements.find(({ key }) => key === zone)?.values)
}

describe('planProvisioning: custom labels', () => {
  it('KS-34: refuses In and Exists of a label that no pool has', () => {
    assert.equal(isPlaced(required([is('a', 'In', 'x')])), false)
    assert.equal(isPlaced(required([is('a', 'Exists')])), false)
  })

  it('KS-34: takes NotIn and DoesNotExist of a label that no pool has', () => {
    assert.equal(isPlaced(required([is('a', 'NotIn', 'x')])), true)
    assert.equal(isPlaced(required([is('a', 'DoesNotExist')])), true)
  })

  it('KS-35: compares with the label that the pool has', () => {
    const pool = { labels: { a: 'x' } }
    const table: [Requirement, boolean][] = [
      [is('a', 'In', 'x'), true],
      [is('a', 'NotIn', 'x'), false],
      [is('a', 'Exists'), true],
      [is('a', 'DoesNotExist'), false],
      [is('a', 'In', 'y'), false],
      [is('a', 'NotIn', 'y'), true],
    ]
    for (const [requirement, expected] of table) {
      assert.equal(isPlaced(required([requirement]), pool), expected, JSON.stringify(requirement))
    }
  })

  it('KS-38: compares integers, Gt and Lt without the limit, Gte and Lte with it', () => {
    const pool = { labels: { gen: '5' } }
    const table: [string, string, boolean][] = [
      ['Gt', '4', true],
      ['Gt', '5', false],
      ['Lt', '6', true],
      ['Lt', '5', false],
      ['Gte', '5', true],
      ['Gte', '6', false],
      ['Lte', '5', true],
      ['Lte', '4', false],
    ]
    for (const [operator, value, expected] of table) {
      assert.equal(isPlaced(required([is('gen', operator, value)]), pool), expected, `${operator} ${value}`)
    }
  })

  it('KS-40: keeps the value of the pool where the pod asks for any', () => {
    const { nodeClaims } = plan(required([is('a', 'Exists')]), { requirements: [is('a', 'In', 'x')] })
    assert.equal(nodeClaims[0]?.body.metadata.labels['a'], 'x')
  })
})

describe('planProvisioning: labels of hosts', () => {
  it('KS-36: refuses labels that no pool may set', () => {
    for (const key of ['kubernetes.io/hostname', 'karpenter.sh/foo', 'x.karpenter.sh/y']) {
      assert.deepEqual(unplacedCodes(plan({ nodeSelector: { [key]: 'x' } })), ['pod: PodInvalid'], key)
    }
  })

  it('KS-36: takes labels of kubernetes.io that the pool has', () => {
    const key = 'node-role.kubernetes.io/worker'
    assert.equal(isPlaced({ nodeSelector: { [key]: 'x' } }, { labels: { [key]: 'x' } }), true)
  })

  it('KS-37: places in the zone that is asked for, under its old name too', () => {
    const placed = plan({ nodeSelector: { [zone]: 'zone-2' } })
    assert.deepEqual(zonesOf(placed), [['zone-2']])
    assert.equal(placed.nodeClaims[0]?.host, 'test/kpssh-system/zone-2')
    assert.deepEqual(
      zonesOf(plan({ nodeSelector: { 'failure-domain.beta.kubernetes.io/zone': 'zone-3' } })),
      [['zone-3']],
    )
  })

  it('KS-37: refuses a zone that no host is in, or that the pool excludes', () => {
    assert.deepEqual(unplacedCodes(plan({ nodeSelector: { [zone]: 'zone-9' } })), ['pod: NoHostFits'])
    const pool = { requirements: [is(zone, 'In', 'zone-1')] }
    assert.deepEqual(unplacedCodes(plan({ nodeSelector: { [zone]: 'zone-2' } }, pool)), [
      'pod: RequirementsConflict',
    ])
  })

  it('KS-39: opens two NodeClaims for pods that want different zones, one for pods that agree', () => {
    const pods = ['zone-1', 'zone-2', 'zone-1'].map((value, index) =>
      aPendingPod({ name: `pod-${index}`, needs: { nodeSelector: { [zone]: value } } }),
    )
    const two = planProvisioning(aProvisioningSnapshot({ pendingPods: pods, hosts }))
    assert.deepEqual(podsPerNodeClaim(two), [['pod-0', 'pod-2'], ['pod-1']])
  })
})

describe('planProvisioning: node affinity', () => {
  it('KS-42: never gives up the only required term', () => {
    assert.deepEqual(unplacedCodes(plan(required([is(zone, 'In', 'zone-9')]))), ['pod: NoHostFits'])
  })

  it('KS-43: takes the third of three alternatives when two are impossible', () => {
    const terms = [[is(zone, 'In', 'zone-8')], [is(zone, 'In', 'zone-9')], [is(zone, 'In', 'zone-1')]]
    assert.deepEqual(zonesOf(plan(required(...terms))), [['zone-1']])
  })

  it('KS-44: places a pod none of whose preferences can be met', () => {
    assert.equal(isPlaced(preferred([1, is(zone, 'In', 'zone-9')], [9, is('a', 'Exists')])), true)
  })

  it('KS-44: meets the lighter preference when the heavier is impossible', () => {
    const placed = plan(preferred([9, is(zone, 'In', 'zone-9')], [1, is(zone, 'In', 'zone-2')]))
    assert.deepEqual(zonesOf(placed), [['zone-2']])
  })

  it('tries no more preferences and alternatives than anybody means, the heaviest first', () => {
    const wishes = Array.from({ length: 5_000 }, (_, index) => is(zone, 'In', `zone-${index + 100}`))
    const preferences = wishes.map((wish): [number, Requirement] => [1, wish])
    assert.deepEqual(zonesOf(plan(preferred(...preferences, [9, is(zone, 'In', 'zone-2')]))).flat(), [
      'zone-2',
    ])
    assert.equal(isPlaced(preferred(...preferences)), true)
    assert.equal(isPlaced(required([is(zone, 'In', 'zone-3')], ...wishes.map((wish) => [wish]))), true)
    const terms = plan(required(...wishes.map((wish) => [wish])))
    assert.deepEqual(unplacedCodes(terms), ['pod: NoHostFits'])
  })

  it('KS-41: lets what is required win over what is preferred', () => {
    const placed = plan({
      nodeAffinity: {
        ...(required([is(zone, 'In', 'zone-1')]) as { nodeAffinity: object }).nodeAffinity,
        ...(preferred([1, is(zone, 'NotIn', 'zone-1')]) as { nodeAffinity: object }).nodeAffinity,
      },
    })
    assert.deepEqual(zonesOf(placed), [['zone-1']])
  })

  it('takes no node where every required term is empty', () => {
    assert.deepEqual(unplacedCodes(plan(required([]))), ['pod: PodInvalid'])
    assert.deepEqual(zonesOf(plan(required([], [is(zone, 'In', 'zone-1')]))), [['zone-1']])
  })

  it('says what it cannot read', () => {
    const [pod] = plan(required([is('a', 'Like', 'b')])).unplaced
    assert.deepEqual(pod?.reasons, [
      {
        code: 'PodInvalid',
        message:
          'Cannot require the label "a": the operator is "Like", it must be one that NodePools may use',
      },
    ])
  })
})

describe('planProvisioning: rules that are not looked at', () => {
  const hard = 'requiredDuringSchedulingIgnoredDuringExecution'
  const rules: [string, object][] = [
    ['required pod affinity', { podAffinity: { [hard]: [{ topologyKey: 'a' }] } }],
    ['required pod anti-affinity', { podAntiAffinity: { [hard]: [{ topologyKey: 'a' }] } }],
    ['spreading', { topologySpreadConstraints: [{ whenUnsatisfiable: 'DoNotSchedule' }] }],
  ]
  for (const [title, needs] of rules) {
    it(`takes no host for a pod with ${title}, and says so`, () => {
      assert.deepEqual(unplacedCodes(plan(needs)), ['pod: RuleNotSupported'])
    })
  }

  it('places pods whose rules are wishes', () => {
    const spread = [{ whenUnsatisfiable: 'ScheduleAnyway' }]
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] }
    assert.equal(isPlaced({ topologySpreadConstraints: spread, podAntiAffinity }), true)
  })
})

describe('planProvisioning: minValues', () => {
  const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 }]

  it('KS-46: makes nothing where fewer host classes fit than the pool wants to choose from', () => {
    assert.deepEqual(unplacedCodes(plan({}, { requirements })), ['pod: TooFewValues'])
  })

  it('KS-47: passes minValues on where enough are left', () => {
    const classes = [aFreeHost({ name: 'a', hostClass: 'a' }), aFreeHost({ name: 'b', hostClass: 'b' })]
    const { nodeClaims } = planProvisioning(
      aProvisioningSnapshot({
        nodePools: [aNodePool({ requirements })],
        pendingPods: [aPendingPod()],
        hosts: classes,
      }),
    )
    const stated = nodeClaims[0]?.body.spec.requirements.find(
      ({ key }) => key === 'node.kubernetes.io/instance-type',
    )
    assert.deepEqual(stated, {
      key: 'node.kubernetes.io/instance-type',
      operator: 'In',
      values: ['a', 'b'],
      minValues: 2,
    })
  })
})
