import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { steeredCluster } from '../../../test/support/demo-cluster.ts'
import { eventMirror } from './event-mirror.ts'

const news = {
  metadata: { name: 'workers-1.a' },
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'kpssh',
  reportingInstance: 'reconcile-1',
  action: 'JoinFailed',
  reason: 'JoinFailed',
  type: 'Warning',
  note: 'join exited with code 1',
  regarding: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'workers-1', uid: 'u1' },
}

describe('eventMirror', () => {
  it('shows as core/v1 Events, which kubectl describe reads, what was written to events.k8s.io', async () => {
    const cluster = steeredCluster([eventMirror])
    cluster.must('POST', '/apis/events.k8s.io/v1/namespaces/default/events', news)
    await cluster.settle()
    const { metadata, ...event } = cluster.must('GET', '/api/v1/namespaces/default/events/workers-1.a')
    assert.ok(metadata !== undefined)
    assert.deepEqual(event, {
      ...{ apiVersion: 'v1', kind: 'Event' },
      ...{ type: 'Warning', reason: 'JoinFailed', action: 'JoinFailed', message: 'join exited with code 1' },
      ...{ reportingComponent: 'kpssh', reportingInstance: 'reconcile-1' },
      ...{ eventTime: '2026-01-01T00:00:00.000000Z', firstTimestamp: null, lastTimestamp: null, source: {} },
      involvedObject: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'workers-1', uid: 'u1' },
    })
    await cluster.settle()
    assert.equal(cluster.store.list('/events', 'default').length, 1)
  })
})
