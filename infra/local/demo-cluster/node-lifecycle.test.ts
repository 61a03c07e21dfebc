import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { aPod, readyNode, steeredCluster, type SteeredCluster } from '../../../test/support/demo-cluster.ts'
import { listOf, printed, recordOf, textOf, valueAt } from '../kube-api/json.ts'
import { makePodCollector } from './garbage-collector.ts'
import { nodeAddresses } from './node-addresses.ts'
import { makeNodeLifecycle } from './node-lifecycle.ts'
import { isStandIn, makePodLifecycle } from './pod-lifecycle.ts'
import { taintEviction } from './taint-eviction.ts'

const nodes = '/api/v1/nodes'
const pods = '/api/v1/namespaces/default/pods'
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

describe('nodes and the pods on them', () => {
  let cluster: SteeredCluster
  beforeEach(() => {
    cluster = steeredCluster([
      makeNodeLifecycle({ graceMs: 40_000 }),
      makePodLifecycle(isStandIn),
      taintEviction,
      nodeAddresses,
      makePodCollector({ quarantineMs: 40_000 }),
    ])
  })
  const taintsOf = (name: string): readonly string[] =>
    listOf(valueAt(cluster.must('GET', `${nodes}/${name}`), ['spec', 'taints']))
      .map(recordOf)
      .map(({ key, effect }) => `${printed(key)}:${printed(effect)}`)
  const readyOf = (name: string): string => {
    const conditions = listOf(valueAt(cluster.must('GET', `${nodes}/${name}`), ['status', 'conditions']))
    return textOf(conditions.map(recordOf).find(({ type }) => type === 'Ready')?.['status'])
  }
  const later = async (ms: number): Promise<void> => {
    cluster.clock.advance(ms)
    await cluster.settle()
  }

  it('takes the taint from a node that is ready', async () => {
    cluster.must('POST', nodes, readyNode('n'))
    assert.deepEqual(taintsOf('n'), ['node.kubernetes.io/not-ready:NoSchedule'])
    await cluster.settle()
    assert.deepEqual(taintsOf('n'), [])
  })

  it('keeps foreign taints, and adds one for a cordon', async () => {
    cluster.must(
      'POST',
      nodes,
      readyNode('n', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }], unschedulable: true } }),
    )
    await cluster.settle()
    assert.deepEqual(taintsOf('n'), ['x:NoSchedule', 'node.kubernetes.io/unschedulable:NoSchedule'])
  })

  it('calls a node unknown whose Lease is not renewed for the grace period', async () => {
    cluster.must('POST', nodes, readyNode('n'))
    cluster.must('POST', leases, {
      metadata: { name: 'n' },
      spec: { renewTime: '2026-01-01T00:00:00.000000Z' },
    })
    await cluster.settle()
    await later(39_000)
    cluster.must('PATCH', `${leases}/n`, { spec: { renewTime: '2026-01-01T00:00:39.000000Z' } })
    await cluster.settle()
    await later(39_000)
    assert.equal(readyOf('n'), 'True')
    await later(2000)
    assert.equal(readyOf('n'), 'Unknown')
    assert.deepEqual(taintsOf('n'), [
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ])
  })

  it('believes what it sees change, not what the clock of a kubelet says', async () => {
    cluster.must('POST', nodes, readyNode('n'))
    cluster.must('POST', leases, {
      metadata: { name: 'n' },
      spec: { renewTime: '1999-01-01T00:00:00.000000Z' },
    })
    await cluster.settle()
    await later(30_000)
    cluster.must('PATCH', `${leases}/n`, { spec: { renewTime: '1999-01-01T00:00:10.000000Z' } })
    await cluster.settle()
    await later(30_000)
    assert.equal(readyOf('n'), 'True')
  })

  it('gives every node pod addresses of its own', async () => {
    for (const name of ['m', 'n']) cluster.must('POST', nodes, readyNode(name))
    await cluster.settle()
    const ranges = ['m', 'n'].map((name) =>
      valueAt(cluster.must('GET', `${nodes}/${name}`), ['spec', 'podCIDR']),
    )
    assert.deepEqual(ranges, ['10.244.0.0/24', '10.244.1.0/24'])
  })

  it('runs bound pods and ends deleted ones, on ready nodes of stand-ins alone', async () => {
    cluster.must('POST', nodes, readyNode('n'))
    cluster.must('POST', nodes, {
      ...readyNode('real'),
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    })
    cluster.must('POST', pods, aPod('a', { nodeName: 'n' }))
    cluster.must('POST', pods, aPod('b', { nodeName: 'real' }))
    await cluster.settle()
    const phases = ['a', 'b'].map((name) =>
      valueAt(cluster.must('GET', `${pods}/${name}`), ['status', 'phase']),
    )
    assert.deepEqual(phases, ['Running', 'Pending'])
    for (const name of ['a', 'b']) cluster.must('DELETE', `${pods}/${name}`)
    await cluster.settle()
    assert.deepEqual(
      ['a', 'b'].map((name) => cluster.find(`${pods}/${name}`) !== undefined),
      [false, true],
    )
  })

  it('keeps a deleted pod on a node that does not answer', async () => {
    cluster.must('POST', nodes, readyNode('n'))
    cluster.must('POST', pods, aPod('a', { nodeName: 'n' }))
    await cluster.settle()
    await later(41_000)
    cluster.must('DELETE', `${pods}/a`)
    await cluster.settle()
    assert.notEqual(cluster.find(`${pods}/a`), undefined)
  })

  it('sends pods from a lost node after their toleration, and from a tainted one at once', async () => {
    for (const name of ['lost', 'left']) {
      cluster.must('POST', nodes, readyNode(name))
      cluster.must('POST', pods, aPod(`on-${name}`, { nodeName: name }))
    }
    await cluster.settle()
    cluster.must('PATCH', `${nodes}/left`, { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } })
    await cluster.settle()
    assert.equal(cluster.find(`${pods}/on-left`), undefined)
    await later(41_000)
    const isDeleted = (): boolean =>
      valueAt(cluster.find(`${pods}/on-lost`), ['metadata', 'deletionTimestamp']) !== undefined
    await later(299_000)
    assert.equal(isDeleted(), false)
    await later(2000)
    assert.equal(isDeleted(), true)
  })

  it('ends pods of a node that is gone after a while', async () => {
    cluster.must('POST', nodes, readyNode('n'))
    cluster.must('POST', pods, aPod('a', { nodeName: 'n' }))
    await cluster.settle()
    cluster.must('DELETE', `${nodes}/n`)
    await cluster.settle()
    await later(39_000)
    assert.notEqual(cluster.find(`${pods}/a`), undefined)
    await later(2000)
    assert.equal(cluster.find(`${pods}/a`), undefined)
  })
})
