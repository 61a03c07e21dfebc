import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { t0 } from '../../test/support/builders/hosts.ts'
import {
  aNode,
  aNodeClaim,
  aNodePool,
  aPod,
  isTrueNow,
  meta,
} from '../../test/support/builders/kubernetes.ts'
import { aPodShape } from '../../test/support/builders/pending-pods.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import type { PodShape } from '../messages/cluster-observed.ts'
import { isConsolidatable } from './consolidatable.ts'
import type { DisruptionSnapshot } from './disruption-snapshot.ts'
import { planEmptiness } from './plan-emptiness.ts'
import { isStillEmpty } from './revalidate-emptiness.ts'

const labels = { 'karpenter.sh/nodepool': 'workers' }
const conditions = ['Launched', 'Registered', 'Initialized'].map((type) => isTrueNow(type))

function aMember(name: string, status: Partial<NonNullable<NodeClaim['status']>> = {}): NodeClaim {
  return aNodeClaim({
    name,
    metadata: { uid: `uid-${name}`, labels },
    status: { nodeName: name, conditions, ...status },
  })
}

function aMemberNode(name: string, parts: Parameters<typeof aNode>[0] = {}): Node {
  const initialized = { 'karpenter.sh/initialized': 'true' }
  return aNode({ ...parts, name, metadata: { labels: initialized, ...parts.metadata } })
}

function aSnapshot(
  names: readonly string[],
  overrides: Partial<DisruptionSnapshot> = {},
): DisruptionSnapshot {
  return {
    nodePools: [aNodePool()],
    nodeClaims: names.map((name) => aMember(name)),
    nodes: names.map((name) => aMemberNode(name)),
    podShapes: [],
    podDisruptionBudgets: [],
    nominated: new Set(),
    ...overrides,
  }
}

function emptied(snapshot: DisruptionSnapshot, nowMs = t0 + 60_000): readonly string[] {
  return planEmptiness(snapshot, nowMs).empty.map(({ nodeName }) => nodeName)
}

function withPods(...podShapes: readonly PodShape[]): readonly string[] {
  return emptied(aSnapshot(['n1'], { podShapes: [...podShapes] }))
}

describe('planEmptiness', () => {
  const ten = Array.from({ length: 10 }, (_, index) => `n${index}`)

  it('KS-147: lets as many empty nodes go at once as the budget allows, by name', () => {
    const pool = aNodePool()
    const budgeted = (nodes: string) => ({
      nodePools: [
        { ...pool, spec: { ...pool.spec, disruption: { ...pool.spec.disruption, budgets: [{ nodes }] } } },
      ],
    })
    assert.deepEqual(emptied(aSnapshot(ten, budgeted('30%'))), ['n0', 'n1', 'n2'])
    assert.equal(emptied(aSnapshot(ten, budgeted('100%'))).length, 10)
    const none = planEmptiness(aSnapshot(ten, budgeted('0%')), t0 + 60_000)
    assert.deepEqual([none.empty.length, none.blocked.length], [0, 10])
  })

  it('KS-148: keeps a node with a pod', () => {
    assert.deepEqual(withPods(aPodShape()), [])
  })

  it('KS-149: a node with daemons, mirror pods and ended pods only is empty', () => {
    const shapes = [
      aPodShape({ ownerKind: 'DaemonSet' }),
      aPodShape({ ownerKind: 'Node' }),
      aPodShape({ isTerminal: true }),
      aPodShape({ isTerminating: true }),
    ]
    assert.deepEqual(withPods(...shapes), ['n1'])
  })

  it('KS-149: a terminating pod of a StatefulSet comes back, so its node is not empty', () => {
    assert.deepEqual(withPods(aPodShape({ isTerminating: true, ownerKind: 'StatefulSet' })), [])
  })

  it('KS-150, SQS-06: keeps an empty node that a pending pod is expected on', () => {
    const plan = planEmptiness(aSnapshot(['n1'], { nominated: new Set(['n1']) }), t0 + 60_000)
    assert.deepEqual([plan.empty.length, plan.blocked[0]?.why], [0, 'a pending pod is expected on it'])
  })

  it('KS-148: honors do-not-disrupt on the Node only when it is true', () => {
    const annotated = (value: string) => {
      const annotations = { 'karpenter.sh/do-not-disrupt': value }
      const node = aMemberNode('n1', {
        metadata: { labels: { 'karpenter.sh/initialized': 'true' }, annotations },
      })
      return emptied(aSnapshot(['n1'], { nodes: [node] }))
    }
    assert.deepEqual([annotated('true'), annotated('false')], [[], ['n1']])
  })

  it('a do-not-disrupt daemon blocks, one that ended does not', () => {
    const daemon = { ownerKind: 'DaemonSet', doNotDisrupt: 'true' }
    assert.deepEqual(withPods(aPodShape(daemon)), [])
    assert.deepEqual(withPods(aPodShape({ ...daemon, isTerminal: true })), ['n1'])
    assert.deepEqual(withPods(aPodShape({ ...daemon, doNotDisrupt: 'soon' })), ['n1'])
  })

  it('KS-158, KS-159: a PodDisruptionBudget that allows nothing blocks, in its own namespace', () => {
    const daemon = aPodShape({ ownerKind: 'DaemonSet', labels: { app: 'a' } })
    const budgets = (namespace: string, disruptionsAllowed: number) => [
      {
        metadata: meta('pdb', { namespace }),
        spec: { selector: { matchLabels: { app: 'a' } } },
        status: { disruptionsAllowed },
      },
    ]
    const emptiedWith = (namespace: string, allowed: number) =>
      emptied(aSnapshot(['n1'], { podShapes: [daemon], podDisruptionBudgets: budgets(namespace, allowed) }))
    assert.deepEqual(emptiedWith('default', 0), [])
    assert.deepEqual(emptiedWith('default', 1), ['n1'])
    assert.deepEqual(emptiedWith('other', 0), ['n1'])
  })

  it('KS-177: does not consider what is uninitialized, going, without pool, or without Node', () => {
    const going = {
      ...aMember('n1'),
      metadata: meta('n1', { labels, deletionTimestamp: '2026-01-01T00:00:00Z' }),
    }
    const poolless = { ...aMember('n1'), metadata: meta('n1') }
    assert.deepEqual(emptied(aSnapshot(['n1'], { nodeClaims: [going] })), [])
    assert.deepEqual(emptied(aSnapshot(['n1'], { nodeClaims: [poolless] })), [])
    assert.deepEqual(emptied(aSnapshot(['n1'], { nodes: [aNode({ name: 'n1' })] })), [])
    assert.deepEqual(emptied(aSnapshot(['n1'], { nodes: [] })), [])
    assert.deepEqual(emptied(aSnapshot(['n1'], { nodePools: [] })), [])
  })

  it('SQS-10: counts NotReady nodes against the budget', () => {
    const pool = aNodePool()
    const disruption = { ...pool.spec.disruption, budgets: [{ nodes: '1' }] }
    const nodes = [aMemberNode('n1'), aMemberNode('n2', { status: { conditions: [] } })]
    assert.deepEqual(
      emptied(
        aSnapshot(['n1', 'n2'], { nodes, nodePools: [{ ...pool, spec: { ...pool.spec, disruption } }] }),
      ),
      [],
    )
  })
})

describe('isConsolidatable', () => {
  const pool = (consolidateAfter: string) =>
    aNodePool({ spec: { disruption: { consolidateAfter, consolidationPolicy: 'WhenEmpty', budgets: [] } } })

  it('counts from the last pod event, or from initialization if there was none', () => {
    assert.equal(isConsolidatable(aMember('n1'), pool('30s'), t0 + 29_999), false)
    assert.equal(isConsolidatable(aMember('n1'), pool('30s'), t0 + 30_000), true)
    const later = aMember('n1', { lastPodEventTime: '2026-01-01T00:01:00Z' })
    assert.equal(isConsolidatable(later, pool('30s'), t0 + 89_999), false)
    assert.equal(isConsolidatable(later, pool('30s'), t0 + 90_000), true)
  })

  it('is never so for Never, and not before initialization', () => {
    assert.equal(isConsolidatable(aMember('n1'), pool('Never'), t0 + 1e12), false)
    assert.equal(isConsolidatable(aMember('n1', { conditions: [] }), pool('0s'), t0 + 1e12), false)
  })
})

describe('isStillEmpty', () => {
  it('KS-160: sees a pod that was bound before the taint was there', () => {
    assert.equal(isStillEmpty([], t0), true)
    assert.equal(isStillEmpty([aPod()], t0), false)
  })

  it('does not mind daemons and pods that are ending', () => {
    const daemon = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u' }] }
    assert.equal(isStillEmpty([aPod({ metadata: daemon })], t0), true)
    assert.equal(isStillEmpty([aPod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })], t0), true)
    assert.equal(isStillEmpty([aPod({ status: { phase: 'Failed' } })], t0), true)
  })

  it('KS-160: heeds do-not-disrupt, on a daemon too, for as long as a duration may last', () => {
    const daemon = (value: string) =>
      aPod({
        metadata: {
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u' }],
          annotations: { 'karpenter.sh/do-not-disrupt': value },
        },
      })
    assert.equal(isStillEmpty([daemon('true')], t0), false)
    assert.equal(isStillEmpty([daemon('1.5h')], t0), false)
    assert.equal(isStillEmpty([daemon('0s')], t0), true)
    assert.equal(isStillEmpty([daemon('sometimes')], t0), true)
  })
})
