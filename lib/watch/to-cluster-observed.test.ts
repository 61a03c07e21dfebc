import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aPod } from '../../test/support/builders/kubernetes.ts'
import { ClusterObserved } from '../messages/cluster-observed.ts'
import { makeClusterView, snapshotOf } from './cluster-view.ts'
import { toClusterObserved } from './to-cluster-observed.ts'

const frame = { cluster: 'lab', clusterUid: 'uid', sentAtMs: 1, reason: 'Changed' } as const

function aSnapshot(counts: { readonly pending: number; readonly running: number; readonly ended: number }) {
  const view = makeClusterView()
  const conditions = [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' }]
  for (let index = 0; index < counts.pending; index += 1) {
    view.pods.put(`p${index}`, aPod({ name: `p${index}`, spec: { nodeName: '' }, status: { conditions } }))
  }
  for (let index = 0; index < counts.running; index += 1)
    view.pods.put(`r${index}`, aPod({ name: `r${index}` }))
  for (let index = 0; index < counts.ended; index += 1) {
    view.pods.put(`e${index}`, aPod({ name: `e${index}`, status: { phase: 'Succeeded' } }))
  }
  return snapshotOf(view)
}

/** A queue whose bodies hold this many pods, pending or in shapes. */
function holding(pods: number) {
  return {
    maxPendingPods: 1_000,
    maxBytes: pods,
    sizeOf: ({ snapshot }: ClusterObserved) => snapshot.pendingPods.length + snapshot.podShapes.length,
  }
}

describe('toClusterObserved', () => {
  it('says everything when it fits', () => {
    const message = toClusterObserved(aSnapshot({ pending: 3, running: 2, ended: 1 }), frame, holding(100))
    assert.deepEqual(ClusterObserved.parse(message), message)
    assert.deepEqual(message.degraded, [])
    assert.equal(message.snapshot.pendingPods.length, 3)
  })

  it('sends at most as many pending pods as are of use, and says how many it left out', () => {
    const message = toClusterObserved(aSnapshot({ pending: 5, running: 0, ended: 0 }), frame, {
      ...holding(100),
      maxPendingPods: 2,
    })
    assert.deepEqual(message.degraded, ['pendingPods:3'])
    assert.deepEqual(
      message.snapshot.pendingPods.map(({ name }) => name),
      ['p0', 'p1'],
    )
  })

  it('halves the pending pods until the message fits', () => {
    const message = toClusterObserved(aSnapshot({ pending: 900, running: 1, ended: 1 }), frame, holding(300))
    assert.deepEqual(message.degraded, ['pendingPods:675'])
    assert.equal(message.snapshot.podShapes.length, 2)
  })

  it('then leaves out pods that have ended', () => {
    const message = toClusterObserved(aSnapshot({ pending: 60, running: 4, ended: 7 }), frame, holding(51))
    assert.deepEqual(message.degraded, ['pendingPods:10', 'endedPods:7'])
  })

  it('at last says nothing about bound pods, and says so', () => {
    const message = toClusterObserved(aSnapshot({ pending: 1, running: 4, ended: 7 }), frame, holding(0))
    assert.deepEqual(message.degraded, ['boundPods:11'])
    assert.equal(message.snapshot.pendingPods.length, 1)
  })
})
