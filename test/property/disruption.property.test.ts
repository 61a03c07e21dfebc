import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Node } from '../../lib/api/node.ts'
import type { Condition } from '../../lib/api/object-meta.ts'
import { checkPlan } from '../../lib/disruption/check-plan.ts'
import type { DisruptionSnapshot } from '../../lib/disruption/disruption-snapshot.ts'
import { planEmptiness } from '../../lib/disruption/plan-emptiness.ts'
import { aNode, aNodeClaim, initializedLabels } from '../support/builders/nodes.ts'
import { aNodePool } from '../support/builders/node-pools.ts'
import { aPodShape } from '../support/builders/pending-pods.ts'

const nowMs = Date.parse('2026-03-02T12:00:00Z')
const createdAt = '2026-01-01T00:00:00Z'

const budget = fc.record({
  nodes: fc.oneof(
    fc.integer({ min: 0, max: 100 }).map((part) => `${part}%`),
    fc.integer({ max: 5, min: 0 }).map(String),
  ),
  window: fc.constantFrom(
    {},
    { schedule: '0 11 * * *', duration: '2h' },
    { schedule: '0 13 * * *', duration: '2h' },
  ),
  reasons: fc.constantFrom<string[] | undefined>(undefined, ['Empty'], ['Drifted']),
})
const member = fc.record({
  pool: fc.constantFrom('a', 'b'),
  isInitialized: fc.boolean(),
  isReady: fc.boolean(),
  isDeleting: fc.boolean(),
  isNominated: fc.boolean(),
  lastPodEventMinutesAgo: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
  doNotDisrupt: fc.constantFrom(undefined, 'true', 'false'),
  podOwner: fc.constantFrom(undefined, 'DaemonSet', 'ReplicaSet', 'StatefulSet'),
  isPodTerminating: fc.boolean(),
})
type Member = typeof member extends fc.Arbitrary<infer T> ? T : never

const snapshots: fc.Arbitrary<DisruptionSnapshot> = fc
  .record({
    budgets: fc.array(budget, { maxLength: 3 }),
    consolidateAfter: fc.constantFrom('0s', '10m', 'Never'),
    members: fc.array(member, { maxLength: 12 }),
  })
  .map(({ budgets, consolidateAfter, members }) => ({
    nodePools: ['a', 'b'].map((name) =>
      aNodePool({
        name,
        consolidateAfter,
        budgets: budgets.map(({ nodes, window, reasons }) => ({
          nodes,
          ...window,
          ...(reasons ? { reasons } : {}),
        })),
      }),
    ),
    nodeClaims: members.map(nodeClaimOf),
    nodes: members.map((each, index) =>
      aNode({
        name: `n${index}`,
        isReady: each.isReady,
        labels: each.isInitialized ? initializedLabels(each.pool) : {},
        ...(each.doNotDisrupt ? { annotations: { 'karpenter.sh/do-not-disrupt': each.doNotDisrupt } } : {}),
      }),
    ),
    podShapes: members.flatMap(({ podOwner, isPodTerminating }, index) =>
      podOwner === undefined
        ? []
        : [aPodShape({ ownerKind: podOwner, isTerminating: isPodTerminating, nodes: { [`n${index}`]: 1 } })],
    ),
    podDisruptionBudgets: [],
    nominated: new Set(members.flatMap(({ isNominated }, index) => (isNominated ? [`n${index}`] : []))),
  }))

function nodeClaimOf({ pool, isInitialized, isDeleting, lastPodEventMinutesAgo }: Member, index: number) {
  const initialized: Condition = {
    type: 'Initialized',
    status: isInitialized ? 'True' : 'Unknown',
    lastTransitionTime: createdAt,
  }
  const nodeClaim = aNodeClaim({
    name: `nc${index}`,
    pool,
    conditions: [initialized],
    ...(isDeleting ? { deletionTimestamp: createdAt } : {}),
    ...(lastPodEventMinutesAgo === undefined
      ? {}
      : { lastPodEventTime: new Date(nowMs - lastPodEventMinutesAgo * 60_000).toISOString() }),
  })
  return { ...nodeClaim, status: { ...nodeClaim.status, nodeName: `n${index}` } }
}

function nowReady(node: Node): Node {
  return { ...node, status: { ...node.status, conditions: [{ type: 'Ready', status: 'True' }] } }
}

describe('planEmptiness, whatever the cluster', () => {
  it('takes nothing that carries pods, is protected or expected to be used, and stays within every budget', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        assert.deepEqual(checkPlan(planEmptiness(snapshot, nowMs), snapshot, nowMs), [])
      }),
      { numRuns: 300 },
    )
  })

  it('is the same for the same cluster, listed in any order', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const reversed: DisruptionSnapshot = {
          ...snapshot,
          nodePools: snapshot.nodePools.toReversed(),
          nodeClaims: snapshot.nodeClaims.toReversed(),
          nodes: snapshot.nodes.toReversed(),
          podShapes: snapshot.podShapes.toReversed(),
        }
        assert.deepEqual(planEmptiness(reversed, nowMs).empty, planEmptiness(snapshot, nowMs).empty)
      }),
    )
  })

  it('takes nothing more while what it took is on its way out', () => {
    fc.assert(
      fc.property(snapshots, (drawn) => {
        // A NotReady node uses up the budget whether it goes or not: others may follow it.
        const snapshot = { ...drawn, nodes: drawn.nodes.map(nowReady) }
        const going = new Set(
          planEmptiness(snapshot, nowMs).empty.map(({ nodeClaim }) => nodeClaim.metadata.name),
        )
        const nodeClaims = snapshot.nodeClaims.map((each) =>
          going.has(each.metadata.name)
            ? { ...each, metadata: { ...each.metadata, deletionTimestamp: createdAt } }
            : each,
        )
        assert.deepEqual(planEmptiness({ ...snapshot, nodeClaims }, nowMs).empty, [])
      }),
      { numRuns: 300 },
    )
  })
})
