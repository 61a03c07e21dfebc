import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plannedDefinitions } from '../../infra/local/stack/definitions.ts'
import { customResourceDefinitions, nodes, pods, sshHosts } from '../../lib/kubernetes/resources.ts'
import { TransientError } from '../../lib/errors/transient-error.ts'
import { anApiServer, type ApiUnderTest } from '../support/kube-api.ts'
import { eventually } from '../support/eventually.ts'
import { aWatcher } from '../support/watcher.ts'

const queueDown = new TransientError(
  'Cannot send to queue "events": it cannot be reached, it is tried again later',
)

const unschedulable = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }]

/** A pod that the scheduler found no place for. */
function addPending(api: ApiUnderTest['api'], name: string, spec: object = {}): void {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'x' }], ...spec },
  }
  write(api, { method: 'POST', url: '/api/v1/namespaces/default/pods', body: pod })
  const status = { phase: 'Pending', conditions: unschedulable }
  write(api, { method: 'PATCH', url: `/api/v1/namespaces/default/pods/${name}/status`, body: { status } })
}

interface Write {
  readonly method: 'POST' | 'PATCH'
  readonly url: string
  readonly body: object
}

function write(api: ApiUnderTest['api'], { method, url, body }: Write): void {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const answer = api.handle({ method, url, contentType, body: JSON.stringify(body) })
  assert.ok(answer.kind === 'json' && answer.status < 300, JSON.stringify(answer))
}

describe('the watcher', () => {
  it('tells the whole picture once it has it, then changes, then that it is still there', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    const { messages, until, pass } = aWatcher(test, api)
    await until(() => messages.length === 1)
    await kubernetes.patch(nodes, 'n1', { metadata: { labels: { rack: '2' } } })
    await until(() => messages.length === 2)
    await pass(31_000)
    assert.deepEqual(
      messages.map(({ reason, snapshot }) => [reason, snapshot.nodes[0]?.metadata.labels?.['rack']]),
      [
        ['Started', undefined],
        ['Changed', '2'],
        ['Heartbeat', '2'],
      ],
    )
  })

  it('names the cluster by the uid of its kube-system namespace', async (test) => {
    const { api } = await anApiServer(test)
    const { messages, until } = aWatcher(test, api)
    await until(() => messages.length === 1)
    const namespace = api.store.get('/namespaces', '', 'kube-system')
    assert.deepEqual([messages[0]?.cluster, messages[0]?.clusterUid], ['lab', namespace?.metadata.uid])
  })

  it('batches a burst of changes into one message', async (test) => {
    const { api } = await anApiServer(test)
    const { messages, until, pass } = aWatcher(test, api)
    await until(() => messages.length === 1)
    for (let index = 0; index < 50; index += 1) addPending(api, `p${index}`)
    await until(() => messages.length === 2)
    await pass(5_000)
    assert.equal(messages.length, 2)
    assert.equal(messages[1]?.snapshot.pendingPods.length, 50)
  })

  it('SQS-22: tells of every pending pod, whatever it selects: who finds no pool for it can say so', async (test) => {
    const { api } = await anApiServer(test)
    addPending(api, 'lost', { nodeSelector: { 'no-such': 'pool' } })
    const { messages, until } = aWatcher(test, api)
    await until(() => messages.length === 1)
    assert.deepEqual(
      messages[0]?.snapshot.pendingPods.map(({ name, needs }) => [name, needs.nodeSelector]),
      [['lost', { 'no-such': 'pool' }]],
    )
  })

  it('works before our definitions are installed, and sees them when they are', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    const { messages, until } = aWatcher(test, api)
    await until(() => messages.length === 1)
    for (const { manifest } of await plannedDefinitions(kubernetes)) {
      await kubernetes.create(customResourceDefinitions, manifest)
    }
    const spec = {
      address: '192.0.2.1',
      capacity: { cpu: '1', memory: '1Gi' },
      sshKeySecretRef: { name: 'key' },
    }
    const created = await eventually(async () => {
      const outcome = await kubernetes.create(sshHosts, { metadata: { name: 'h1' }, spec }, 'default')
      return outcome.kind === 'created' ? outcome : undefined
    })
    assert.equal(created.kind, 'created')
    await until(() => messages.at(-1)?.snapshot.sshHosts.length === 1)
  })

  it('ends all its connections when it is stopped', async (test) => {
    const { api } = await anApiServer(test)
    const { watcher, until, messages } = aWatcher(test, api)
    await until(() => messages.length === 1)
    await watcher.stop()
    await eventually(() => Object.keys(api.liveWatches()).length === 0, 'the watches to end')
  })
})

describe('the watcher cut off from the queue', () => {
  it('WAT-13: keeps nothing back but the newest state, stops to be alive, and catches up with one message', async (test) => {
    const { api } = await anApiServer(test)
    const watching = aWatcher(test, api)
    const { messages, until, pass, watcher } = watching
    await until(() => messages.length === 1)
    watching.queueFault = queueDown
    for (let minute = 0; minute < 20; minute += 1) {
      addPending(api, `p${minute}`)
      await pass(60_000)
      if (minute === 3) assert.equal(watcher.health().isAlive, true)
    }
    assert.deepEqual(watcher.health().problems, ['messages cannot be sent'])
    watching.queueFault = undefined
    await until(() => messages.length === 2)
    assert.equal(messages[1]?.snapshot.pendingPods.length, 20)
    await pass(20_000)
    assert.equal(messages.length, 2)
    assert.equal(watcher.health().isAlive, true)
  })

  it('SQS-25: is not alive when neither the API server nor the queue answers, pods pending or not', async (test) => {
    const { api } = await anApiServer(test)
    addPending(api, 'p1')
    const { messages, until, pass, watcher } = aWatcher(test, api)
    await until(() => messages.length === 1)
    api.faults.refuse({}, 503)
    api.faults.dropConnections()
    await pass(330_000)
    assert.equal(watcher.health().isAlive, false)
    assert.ok(watcher.health().problems.includes('nothing heard of pods'))
    assert.equal(messages.length, 1)
  })

  it('sends no more pending pods than are of use, and says how many it left out', async (test) => {
    const { api } = await anApiServer(test)
    for (let index = 0; index < 60; index += 1) addPending(api, `p${index}`)
    const limits = { maxPendingPods: 10, maxBytes: 1_000_000 }
    const { messages, until } = aWatcher(test, api, { limits })
    await until(() => messages.length === 1)
    assert.deepEqual(messages[0]?.degraded, ['pendingPods:50'])
  })
})

describe('the watcher and the API server', () => {
  it('WAT-10: sends nothing for 10 reconnects and a list of 10,000 pods that did not change', async (test) => {
    const { api } = await anApiServer(test)
    for (let index = 0; index < 10_000; index += 1) {
      const spec = { containers: [{ name: 'main', image: 'x' }], nodeName: `n${index % 100}` }
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${index}` }, spec }
      write(api, { method: 'POST', url: '/api/v1/namespaces/default/pods', body: pod })
    }
    const { messages, until, pass, watcher } = aWatcher(test, api)
    await until(() => messages.length === 1)
    for (let round = 0; round < 10; round += 1) {
      api.faults.endWatches()
      await until(() => api.liveWatches()['pods'] === 1)
    }
    const lists = () =>
      api.requests().filter(({ verb, plural }) => verb === 'list' && plural === 'pods').length
    const before = lists()
    api.faults.forgetHistory()
    api.faults.expireWatches()
    await until(() => lists() >= before + 20 && api.liveWatches()['pods'] === 1)
    await pass(61_000)
    assert.deepEqual(
      messages.map(({ reason }) => reason).filter((reason) => reason === 'Changed'),
      [],
    )
    assert.equal(watcher.health().isAlive, true)
  })

  it('takes a pod that was replaced by one like it for no change', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    const pod = (name: string) => ({
      metadata: { name },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'x' }] },
    })
    await kubernetes.create(pods, pod('p1'), 'default')
    const { messages, until, pass } = aWatcher(test, api)
    await until(() => messages.length === 1)
    await kubernetes.create(pods, pod('p2'), 'default')
    await kubernetes.delete(pods, 'p1', { namespace: 'default', gracePeriodSeconds: 0 })
    await pass(12_000)
    assert.equal(messages.length, 1)
  })
})
