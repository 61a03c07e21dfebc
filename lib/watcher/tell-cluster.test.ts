import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../../test/support/fakes/clock.ts'
import { makeFakeKubernetes } from '../../test/support/fakes/kubernetes.ts'
import { fakeMessageSender } from '../../test/support/fakes/message-sender.ts'
import { aNode, aPod } from '../../test/support/builders/kubernetes.ts'
import { SpecError } from '../errors/spec-error.ts'
import { TransientError } from '../errors/transient-error.ts'
import { namespaces } from '../kubernetes/resources.ts'
import type { ClusterObserved } from '../messages/cluster-observed.ts'
import { makeClusterView } from '../watch/cluster-view.ts'
import { exactBodyBytes } from './body-bytes.ts'
import { makeTeller } from './tell-cluster.ts'

function aTeller(
  options: {
    readonly maxBytes?: number
    readonly refuse?: (message: ClusterObserved) => Error | undefined
  } = {},
) {
  const view = makeClusterView()
  const kubernetes = makeFakeKubernetes()
  kubernetes.put(namespaces, { metadata: { name: 'kube-system', uid: 'cluster-1' } })
  const sender = fakeMessageSender({
    refuse: (_queue, message) => (message.type === 'ClusterObserved' ? options.refuse?.(message) : undefined),
  })
  const limits = { maxPendingPods: 1_000, maxBytes: options.maxBytes ?? 1_000_000 }
  const tell = makeTeller({ cluster: 'lab', view, reader: kubernetes, sender, clock: fakeClock(7), limits })
  return { tell, view, kubernetes, sender }
}

describe('makeTeller', () => {
  it('sends what the view says, under the name and the uid of the cluster', async () => {
    const { tell, view, sender } = aTeller()
    view.nodes.put('n', aNode({ name: 'n1' }))
    await tell('Started')
    const [{ queue, message } = { queue: '', message: undefined }] = sender.sent
    assert.equal(queue, 'events')
    assert.ok(message?.type === 'ClusterObserved')
    assert.deepEqual(
      [
        message.cluster,
        message.clusterUid,
        message.sentAtMs,
        message.reason,
        message.snapshot.nodes[0]?.metadata.name,
      ],
      ['lab', 'cluster-1', 7, 'Started', 'n1'],
    )
  })

  it('WAT-10: does not tell a change that is none, but always that it is still there', async () => {
    const { tell, view, sender } = aTeller()
    view.nodes.put('n', aNode())
    await tell('Started')
    view.nodes.put('n', aNode({ metadata: { resourceVersion: '99' } }))
    assert.equal(await tell('Changed'), undefined)
    assert.ok(await tell('Heartbeat'))
    assert.equal(sender.sent.length, 2)
  })

  it('tells a change again that it could not tell', async () => {
    let isDown = true
    const down = new TransientError('Cannot send: down, it is tried again later')
    const { tell, view, sender } = aTeller({ refuse: () => (isDown ? down : undefined) })
    view.nodes.put('n', aNode())
    await assert.rejects(tell('Changed'), down)
    isDown = false
    assert.ok(await tell('Changed'))
    assert.equal(sender.sent.length, 1)
  })

  it('makes a message smaller that the queue found too large', async () => {
    const maxBytes = 3_000
    const tooLarge = new SpecError('Cannot send: too large, at most 3000 bytes are carried')
    const { tell, view, sender } = aTeller({
      maxBytes,
      // The estimate lets this one pass: what does not repeat itself does not pack.
      refuse: (message) => (exactBodyBytes(message) > maxBytes ? tooLarge : undefined),
    })
    const conditions = [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' }]
    for (let index = 0; index < 100; index += 1) {
      const uid = Buffer.from(String(index * 7_919_777)).toString('base64')
      view.pods.put(uid, aPod({ metadata: { uid }, spec: { nodeName: '' }, status: { conditions } }))
    }
    const message = await tell('Started')
    assert.equal(sender.sent.length, 1)
    assert.ok(message !== undefined && exactBodyBytes(message) <= maxBytes)
    assert.deepEqual(message.degraded, ['pendingPods:50'])
  })

  it('asks for the uid of the cluster until it is known', async () => {
    const { tell, kubernetes, sender } = aTeller()
    kubernetes.vanish(namespaces, 'kube-system')
    await assert.rejects(tell('Started'), { name: 'TransientError', reason: 'ClusterUnidentified' })
    kubernetes.put(namespaces, { metadata: { name: 'kube-system', uid: 'cluster-2' } })
    await tell('Started')
    await tell('Heartbeat')
    assert.deepEqual(
      sender.sent.map(({ message }) => message.type === 'ClusterObserved' && message.clusterUid),
      ['cluster-2', 'cluster-2'],
    )
    assert.equal(kubernetes.requests.length, 2)
  })
})
