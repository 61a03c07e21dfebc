import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KubeApiServer } from '../../infra/local/kube-api/kube-api-server.ts'
import { nodes, pods } from '../../lib/kubernetes/resources.ts'
import { eventually } from '../support/eventually.ts'
import { anApiServer } from '../support/kube-api.ts'
import { aWatcher } from '../support/watcher.ts'

function count(api: KubeApiServer, verb: string, plural: string): number {
  return api.requests().filter((request) => request.verb === verb && request.plural === plural).length
}

describe('the watcher with an API server in trouble', () => {
  it('WAT-01: opens a watch anew that has been silent for 60 s, and misses nothing', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    const { messages, until, pass, nowMs, watcher } = aWatcher(test, api)
    await until(() => messages.length === 1)
    api.faults.blackholeWatches(['nodes'])
    const before = count(api, 'watch', 'nodes')
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    await pass(55_000)
    assert.equal(count(api, 'watch', 'nodes'), before)
    api.faults.clear()
    const clearedAtMs = nowMs()
    await until(() => messages.at(-1)?.snapshot.nodes.length === 1)
    assert.ok(nowMs() - clearedAtMs <= 10_000, 'the node was told late')
    assert.equal(count(api, 'watch', 'nodes'), before + 1)
    assert.equal(count(api, 'list', 'nodes'), 1)
    assert.equal(watcher.health().isAlive, true)
  })

  it('WAT-01: says for each resource how long it has been silent', async (test) => {
    const { api } = await anApiServer(test)
    const { messages, until, watcher, pass } = aWatcher(test, api)
    await until(() => messages.length === 1)
    const before = watcher.metrics().lastEventAgeMs['nodes'] ?? 0
    await pass(20_000)
    assert.equal((watcher.metrics().lastEventAgeMs['nodes'] ?? 0) - before, 20_000)
  })

  it('WAT-02: resumes at once where it was when the server ends its watches', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    const { messages, until, log, settle } = aWatcher(test, api)
    await until(() => messages.length === 1)
    await settle()
    api.faults.endWatches()
    await eventually(() => count(api, 'watch', 'nodes') === 2, 'the second watch')
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    await until(() => messages.at(-1)?.snapshot.nodes.length === 1)
    assert.equal(count(api, 'list', 'nodes'), 1)
    assert.deepEqual(
      log.lines.filter(({ level }) => level !== 'info'),
      [],
    )
  })

  it('WAT-03: asks at most ten times for a resource in an outage of a minute, and has one watch of it afterwards', async (test) => {
    const { api } = await anApiServer(test)
    const { messages, until, pass } = aWatcher(test, api)
    await until(() => messages.length === 1)
    const before = api.requests().length
    api.faults.refuse({}, 503)
    api.faults.dropConnections()
    await pass(30_000)
    api.faults.clear()
    api.faults.refuse({}, 403)
    await pass(30_000)
    const byPlural = Map.groupBy(api.requests().slice(before), ({ plural }) => plural)
    for (const [plural, requests] of byPlural)
      assert.ok(requests.length <= 10, `${requests.length} requests for ${plural}`)
    assert.ok(byPlural.size >= 5)
    api.faults.clear()
    await until(() => Object.keys(api.liveWatches()).length >= 5 && messages.length > 1)
    assert.deepEqual([...new Set(Object.values(api.liveWatches()))], [1])
  })

  it('WAT-03: sends nothing that may be old while it is refused', async (test) => {
    const { api } = await anApiServer(test)
    const { messages, until, pass, watcher } = aWatcher(test, api)
    await until(() => messages.length === 1)
    api.faults.refuse({ plurals: ['pods'] }, 403)
    api.faults.endWatches(['pods'])
    await pass(90_000)
    assert.equal(messages.length, 1)
    assert.deepEqual(
      [watcher.health().isAlive, watcher.health().isReady, watcher.health().problems],
      [true, false, ['pods is not in sync']],
    )
    api.faults.clear()
    await until(() => messages.length > 1)
  })

  it('WAT-05: forgets 1,000 pods that were deleted while it was cut off', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    for (let index = 0; index < 1_000; index += 1) {
      const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'x' }] }
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${index}` }, spec })
      api.handle({
        method: 'POST',
        url: '/api/v1/namespaces/default/pods',
        contentType: 'application/json',
        body,
      })
    }
    const { messages, until } = aWatcher(test, api)
    await until(() => messages.length === 1)
    assert.deepEqual(
      messages[0]?.snapshot.podShapes.map((shape) => shape.nodes),
      [{ n1: 1_000 }],
    )
    api.faults.refuse({ verbs: ['watch'] }, 503)
    api.faults.dropConnections()
    for (const { metadata } of await kubernetes.list(pods)) {
      await kubernetes.delete(pods, metadata.name, { namespace: 'default', gracePeriodSeconds: 0 })
    }
    api.faults.forgetHistory()
    api.faults.clear()
    await until(() => messages.at(-1)?.snapshot.podShapes.length === 0)
  })

  it('WAT-07: lists again, once, when its resourceVersion is too old: told in the stream or as a status', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    const { messages, until } = aWatcher(test, api)
    await until(() => messages.length === 1)
    api.faults.expireWatches(['nodes'])
    await eventually(() => count(api, 'list', 'nodes') === 2, 'the second list')
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    await until(() => messages.at(-1)?.snapshot.nodes.length === 1)
    api.faults.forgetHistory()
    await kubernetes.create(nodes, { metadata: { name: 'n2' } })
    api.faults.refuse({ verbs: ['watch'], plurals: ['nodes'] }, 410, 1)
    api.faults.endWatches(['nodes'])
    // The watch that is ending may still have told of n2.
    await until(() => messages.at(-1)?.snapshot.nodes.length === 2 && count(api, 'list', 'nodes') > 2)
    assert.equal(count(api, 'list', 'nodes'), 3)
  })

  it('WAT-07: does not run in circles when the list itself is refused with 410', async (test) => {
    const { api } = await anApiServer(test)
    api.faults.refuse({ verbs: ['list'], plurals: ['nodes'] }, 410)
    const { messages, pass } = aWatcher(test, api)
    await pass(60_000)
    assert.ok(count(api, 'list', 'nodes') <= 10, `${count(api, 'list', 'nodes')} lists`)
    assert.equal(messages.length, 0)
  })

  it('WAT-08: goes on when its credentials are renewed', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    const { messages, until } = aWatcher(test, api)
    await until(() => messages.length === 1)
    api.faults.refuse({ verbs: ['watch'] }, 401, 10)
    api.faults.endWatches()
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    await until(() => messages.at(-1)?.snapshot.nodes.length === 1)
  })
})
