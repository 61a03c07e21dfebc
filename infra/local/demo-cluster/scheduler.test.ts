import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { aPod, readyNode, steeredCluster, type SteeredCluster } from '../../../test/support/demo-cluster.ts'
import { listOf, recordOf, textOf, valueAt } from '../kube-api/json.ts'
import { makeNodeLifecycle } from './node-lifecycle.ts'
import { scheduler } from './scheduler.ts'

const pods = '/api/v1/namespaces/default/pods'

describe('scheduler', () => {
  let cluster: SteeredCluster
  beforeEach(() => {
    cluster = steeredCluster([makeNodeLifecycle({ graceMs: 40_000 }), scheduler])
  })
  const nodeOf = (name: string): string =>
    textOf(valueAt(cluster.must('GET', `${pods}/${name}`), ['spec', 'nodeName']))
  const scheduled = (name: string): { status: string; reason: string; message: string } => {
    const conditions = listOf(valueAt(cluster.must('GET', `${pods}/${name}`), ['status', 'conditions'])).map(
      recordOf,
    )
    const condition = conditions.find(({ type }) => type === 'PodScheduled') ?? {}
    return {
      status: textOf(condition['status']),
      reason: textOf(condition['reason']),
      message: textOf(condition['message']),
    }
  }

  it('marks a pod unschedulable where there are no nodes, and says so once', async () => {
    cluster.must('POST', pods, aPod('a'))
    await cluster.settle()
    assert.deepEqual(scheduled('a'), {
      status: 'False',
      reason: 'Unschedulable',
      message: 'no nodes available to schedule pods',
    })
    const events = listOf(cluster.must('GET', '/api/v1/namespaces/default/events')['items']).map(recordOf)
    assert.deepEqual(
      events.map(({ reason }) => reason),
      ['FailedScheduling'],
    )
  })

  it('binds once a node is ready', async () => {
    cluster.must('POST', pods, aPod('a'))
    cluster.must('POST', '/api/v1/nodes', {
      metadata: { name: 'n' },
      status: { capacity: { cpu: '4', pods: '10' } },
    })
    await cluster.settle()
    assert.equal(
      scheduled('a').message,
      '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.',
    )
    cluster.must('PATCH', '/api/v1/nodes/n/status', {
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    })
    await cluster.settle()
    assert.equal(nodeOf('a'), 'n')
    assert.equal(scheduled('a').status, 'True')
  })

  it('counts what is on a node already', async () => {
    cluster.must('POST', '/api/v1/nodes', readyNode('n', { cpu: '2' }))
    for (const name of ['a', 'b', 'c']) cluster.must('POST', pods, aPod(name))
    await cluster.settle()
    assert.deepEqual(['a', 'b', 'c'].map(nodeOf), ['n', 'n', ''])
    assert.equal(scheduled('c').message, '0/1 nodes are available: 1 Insufficient cpu.')
  })

  it('spreads over nodes by the number of pods', async () => {
    for (const name of ['m', 'n']) cluster.must('POST', '/api/v1/nodes', readyNode(name))
    for (const name of ['a', 'b']) cluster.must('POST', pods, aPod(name))
    await cluster.settle()
    assert.deepEqual(['a', 'b'].map(nodeOf).toSorted(), ['m', 'n'])
  })

  const required = (key: string): object => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }],
      },
    },
  })
  const cases: readonly (readonly [about: string, node: object, pod: object, isBound: boolean])[] = [
    ['a selected label', { labels: { zone: 'a' } }, { nodeSelector: { zone: 'a' } }, true],
    ['another label', { labels: { zone: 'b' } }, { nodeSelector: { zone: 'a' } }, false],
    ['the affinity it needs', { labels: { disk: '' } }, { affinity: required('disk') }, true],
    ['no such affinity', {}, { affinity: required('disk') }, false],
    ['a taint', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }, {}, false],
    [
      'a taint that it tolerates',
      { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } },
      { tolerations: [{ key: 'x', operator: 'Exists' }] },
      true,
    ],
    ['a taint that only prefers', { spec: { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] } }, {}, true],
    [
      'the taint of an unregistered node',
      { spec: { taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] } },
      {},
      false,
    ],
    ['a cordon', { spec: { unschedulable: true } }, {}, false],
    ['no room', { cpu: '500m' }, {}, false],
  ]
  for (const [about, node, pod, isBound] of cases) {
    it(`${isBound ? 'takes' : 'leaves'} a node with ${about}`, async () => {
      cluster.must('POST', '/api/v1/nodes', readyNode('n', node))
      cluster.must('POST', pods, aPod('a', pod))
      await cluster.settle()
      assert.equal(nodeOf('a'), isBound ? 'n' : '')
    })
  }

  it('leaves pods of another scheduler, gated ones and ended ones alone', async () => {
    cluster.must('POST', '/api/v1/nodes', readyNode('n'))
    cluster.must('POST', pods, aPod('other', { schedulerName: 'mine' }))
    cluster.must('POST', pods, aPod('gated', { schedulingGates: [{ name: 'g' }] }))
    await cluster.settle()
    assert.deepEqual(['other', 'gated'].map(nodeOf), ['', ''])
  })
})
