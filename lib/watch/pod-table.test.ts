import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Pod } from '../api/pod.ts'
import { aPod, createdAt } from '../../test/support/builders/kubernetes.ts'
import { makePodTable } from './pod-table.ts'

const noInterest: ReadonlySet<string> = new Set()

function unschedulable(name: string, overrides: Partial<Pod['spec']> = {}): Pod {
  return aPod({
    name,
    spec: { nodeName: '', ...overrides },
    status: {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          lastTransitionTime: '2026-01-01T00:00:05Z',
        },
      ],
    },
  })
}

describe('the table of pods', () => {
  it('makes one shape of pods that differ in name and node only, with their number per node', () => {
    const table = makePodTable()
    table.put('1', aPod({ name: 'a', spec: { nodeName: 'n1' } }))
    table.put('2', aPod({ name: 'b', spec: { nodeName: 'n1' } }))
    table.put('3', aPod({ name: 'c', spec: { nodeName: 'n2' } }))
    assert.deepEqual(
      table.shapes(noInterest).map(({ nodes }) => nodes),
      [{ n1: 2, n2: 1 }],
    )
  })

  it('keeps pods apart whose labels differ where somebody asks for them', () => {
    const table = makePodTable()
    table.put('1', aPod({ metadata: { labels: { app: 'a', pod: '1' } } }))
    table.put('2', aPod({ metadata: { labels: { app: 'b', pod: '2' } } }))
    assert.deepEqual(
      table.shapes(new Set(['app'])).map(({ labels }) => labels),
      [{ app: 'a' }, { app: 'b' }],
    )
    assert.deepEqual(
      table.shapes(noInterest).map(({ labels }) => labels),
      [{}],
    )
  })

  it('keeps pods apart that ask for different resources', () => {
    const table = makePodTable()
    table.put('1', aPod({ spec: { containers: [{ name: 'x', resources: { requests: { cpu: '1' } } }] } }))
    table.put('2', aPod({ spec: { containers: [{ name: 'x', resources: { requests: { cpu: '2' } } }] } }))
    assert.deepEqual(
      table.shapes(noInterest).map(({ needs }) => needs.requests),
      [
        { cpu: '1', pods: '1' },
        { cpu: '2', pods: '1' },
      ],
    )
  })

  it('ref 2.1: counts a pod as pending once the scheduler called it Unschedulable, oldest first', () => {
    const table = makePodTable()
    const young = {
      ...unschedulable('young'),
      metadata: { ...unschedulable('young').metadata, creationTimestamp: '2026-01-01T00:00:03Z' },
    }
    table.put('2', young)
    table.put('1', unschedulable('old'))
    assert.deepEqual(
      table
        .pending(noInterest)
        .map(({ name, createdAtMs, unschedulableSinceMs }) => ({ name, createdAtMs, unschedulableSinceMs })),
      [
        { name: 'old', createdAtMs: Date.parse(createdAt), unschedulableSinceMs: 1_767_225_605_000 },
        { name: 'young', createdAtMs: 1_767_225_603_000, unschedulableSinceMs: 1_767_225_605_000 },
      ],
    )
  })

  const ignored: readonly (readonly [string, Pod])[] = [
    ['that the scheduler has not seen yet', aPod({ spec: { nodeName: '' }, status: { phase: 'Pending' } })],
    [
      'that is gated',
      aPod({
        spec: { nodeName: '' },
        status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
      }),
    ],
    ['that preempts others', withStatus(unschedulable('p'), { nominatedNodeName: 'n1' })],
    ['of a DaemonSet', ownedBy(unschedulable('p'), { apiVersion: 'apps/v1', kind: 'DaemonSet' })],
    ['that mirrors a static pod', ownedBy(unschedulable('p'), { apiVersion: 'v1', kind: 'Node' })],
  ]
  for (const [which, pod] of ignored) {
    it(`ref 2.1: does not count a pod ${which} as pending`, () => {
      const table = makePodTable()
      assert.equal(table.put('1', pod), false)
      assert.equal(table.size, 0)
    })
  }

  it('says that nothing changed when a pod is seen again as it was', () => {
    const table = makePodTable()
    assert.equal(table.put('1', aPod()), true)
    assert.equal(table.put('1', aPod({ metadata: { resourceVersion: '99' } })), false)
  })

  it('says that something changed when a pod turns ready, moves or goes', () => {
    const table = makePodTable()
    table.put('1', aPod())
    assert.equal(
      table.put('1', aPod({ status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } })),
      true,
    )
    assert.equal(table.put('1', aPod({ status: { phase: 'Succeeded' } })), true)
    assert.equal(table.remove('1'), true)
    assert.equal(table.remove('1'), false)
  })

  it('WAT-05: drops every pod that a complete list does not name', () => {
    const table = makePodTable()
    for (let index = 0; index < 1_000; index += 1) table.put(`uid-${index}`, unschedulable(`p${index}`))
    assert.equal(table.retain(new Set(['uid-3'])), true)
    assert.equal(table.size, 1)
    assert.equal(table.retain(new Set(['uid-3'])), false)
    assert.equal(table.retain(new Set()), true)
    assert.deepEqual(table.pending(noInterest), [])
    assert.deepEqual([...table.needs()], [])
  })

  it('tells owner, protection, priority and deletion cost of a shape', () => {
    const table = makePodTable()
    table.put(
      '1',
      aPod({
        metadata: {
          annotations: {
            'karpenter.sh/do-not-disrupt': '5m',
            'controller.kubernetes.io/pod-deletion-cost': '-7',
          },
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true },
          ],
          deletionTimestamp: createdAt,
        },
        spec: { priority: 1000 },
      }),
    )
    const [shape] = table.shapes(noInterest)
    assert.deepEqual(
      { ...shape, needs: undefined, nodes: undefined },
      {
        namespace: 'default',
        labels: {},
        needs: undefined,
        ownerKind: 'ReplicaSet',
        doNotDisrupt: '5m',
        isTerminal: false,
        isTerminating: true,
        isReady: false,
        priority: 1000,
        deletionCost: -7,
        nodes: undefined,
      },
    )
  })
})

function withStatus(pod: Pod, status: Partial<NonNullable<Pod['status']>>): Pod {
  return { ...pod, status: { ...pod.status, ...status } }
}

function ownedBy(pod: Pod, owner: { readonly apiVersion: string; readonly kind: string }): Pod {
  return {
    ...pod,
    metadata: { ...pod.metadata, ownerReferences: [{ ...owner, name: 'o', uid: 'o', controller: true }] },
  }
}
