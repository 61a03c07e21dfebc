import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nodes, podDisruptionBudgets, pods, secrets, sshHosts } from '../../lib/kubernetes/resources.ts'
import { anApiServer } from '../support/kube-api.ts'

const aPodObject = (name: string, nodeName?: string) => ({
  metadata: { name, labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'x' }], ...(nodeName === undefined ? {} : { nodeName }) },
})

describe('the Kubernetes adapter against an API server', () => {
  it('creates, reads, patches and deletes', async (test) => {
    const { kubernetes } = await anApiServer(test)
    const created = await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    assert.equal(created.kind, 'created')
    const patched = await kubernetes.patch(nodes, 'n1', { metadata: { labels: { a: 'b' } } })
    assert.equal(patched.kind, 'patched')
    assert.equal((await kubernetes.get(nodes, 'n1'))?.metadata.labels?.['a'], 'b')
    assert.equal(await kubernetes.delete(nodes, 'n1'), 'deleted')
    assert.equal(await kubernetes.get(nodes, 'n1'), undefined)
  })

  it('tells apart what exists, what does not and what is not valid', async (test) => {
    const { kubernetes } = await anApiServer(test)
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    assert.deepEqual(await kubernetes.create(nodes, { metadata: { name: 'n1' } }), { kind: 'exists' })
    assert.deepEqual(await kubernetes.patch(nodes, 'n2', { metadata: {} }), { kind: 'not-found' })
    assert.equal(await kubernetes.delete(nodes, 'n2'), 'not-found')
    const invalid = await kubernetes.create(nodes, { metadata: { name: 'No Name' } })
    assert.equal(invalid.kind, 'invalid')
  })

  it('loses a race quietly: a stale resourceVersion or uid is a conflict', async (test) => {
    const { kubernetes } = await anApiServer(test)
    const created = await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    assert.ok(created.kind === 'created')
    const { resourceVersion } = created.object.metadata
    await kubernetes.patch(nodes, 'n1', { metadata: { labels: { rival: 'yes' } } })
    const stale = { metadata: { resourceVersion, labels: { mine: 'yes' } } }
    assert.deepEqual(await kubernetes.patch(nodes, 'n1', stale), { kind: 'conflict' })
    assert.equal(
      await kubernetes.delete(nodes, 'n1', { uid: '00000000-0000-0000-0000-000000000000' }),
      'conflict',
    )
    assert.equal(await kubernetes.delete(nodes, 'n1', { resourceVersion }), 'conflict')
    assert.ok(await kubernetes.get(nodes, 'n1'))
  })

  it('patches the status as a subresource', async (test) => {
    const { kubernetes } = await anApiServer(test)
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    await kubernetes.patch(nodes, 'n1', { status: { capacity: { cpu: '4' } } }, { subresource: 'status' })
    assert.deepEqual((await kubernetes.get(nodes, 'n1'))?.status?.capacity, { cpu: '4' })
  })

  it('lists all pages', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    for (let index = 0; index < 1_050; index += 1) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${index}` } })
      api.handle({ method: 'POST', url: '/api/v1/nodes', contentType: 'application/json', body })
    }
    const names = (await kubernetes.list(nodes)).map(({ metadata }) => metadata.name)
    assert.equal(new Set(names).size, 1_050)
    const pages = api.requests().filter(({ verb, plural }) => verb === 'list' && plural === 'nodes')
    assert.equal(pages.length, 3)
  })

  it('lists by namespace, labels and fields', async (test) => {
    const { kubernetes } = await anApiServer(test)
    await kubernetes.create(pods, aPodObject('p1'), 'default')
    await kubernetes.create(pods, aPodObject('p2', 'n1'), 'default')
    await kubernetes.create(pods, aPodObject('p3'), 'kube-system')
    const names = async (options: Parameters<typeof kubernetes.list>[1]) =>
      (await kubernetes.list(pods, options)).map(({ metadata }) => metadata.name)
    assert.deepEqual(await names({ namespace: 'default' }), ['p1', 'p2'])
    assert.deepEqual(await names({ fieldSelector: 'spec.nodeName=n1' }), ['p2'])
    assert.deepEqual(await names({ labelSelector: 'app=web' }), ['p1', 'p2', 'p3'])
    assert.deepEqual(await names({ labelSelector: 'app!=web' }), [])
  })

  it('evicts a pod, unless it is gone, another one or protected by a budget', async (test) => {
    const { kubernetes } = await anApiServer(test)
    const created = await kubernetes.create(pods, aPodObject('p1', 'n1'), 'default')
    assert.ok(created.kind === 'created')
    const pod = { namespace: 'default', name: 'p1', uid: created.object.metadata.uid }
    assert.deepEqual(await kubernetes.evict({ ...pod, name: 'p9' }), { kind: 'gone' })
    assert.deepEqual(await kubernetes.evict({ ...pod, uid: '00000000-0000-0000-0000-000000000000' }), {
      kind: 'gone',
    })
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await kubernetes.patch(pods, 'p1', { status: ready }, { namespace: 'default', subresource: 'status' })
    const budget = {
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    }
    await kubernetes.create(podDisruptionBudgets, budget, 'default')
    assert.equal((await kubernetes.evict(pod)).kind, 'blocked')
    await kubernetes.delete(podDisruptionBudgets, 'web', { namespace: 'default' })
    assert.deepEqual(await kubernetes.evict(pod), { kind: 'evicted' })
  })

  it('says of an invalid Secret which fields are wrong, never what is in them', async (test) => {
    const { kubernetes } = await anApiServer(test)
    const secret = {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: { 'token-id': 'abcdeg', 'token-secret': 'SECRETSECRETSECR' },
    }
    const outcome = await kubernetes.create(secrets, secret, 'kube-system')
    assert.ok(!JSON.stringify(outcome).includes('SECRETSECRET'), JSON.stringify(outcome))
  })

  it('refuses to guess at a resource that is not served', async (test) => {
    const { kubernetes } = await anApiServer(test)
    await assert.rejects(kubernetes.list(sshHosts), {
      name: 'ConfigError',
      reason: 'NotServed',
      message:
        'Cannot list "sshhosts": the API server does not serve it, install its CustomResourceDefinition or create its namespace',
    })
  })

  it('leaves out and logs an object that it does not understand, and refuses it by name', async (test) => {
    const { api, kubernetes, log } = await anApiServer(test)
    await kubernetes.create(nodes, { metadata: { name: 'good' } })
    await kubernetes.create(nodes, { metadata: { name: 'bad' } })
    const stored = api.store.get('/nodes', '', 'bad')
    assert.ok(stored)
    Object.assign(stored, { spec: { taints: 'none' } })
    assert.deepEqual(
      (await kubernetes.list(nodes)).map(({ metadata }) => metadata.name),
      ['good'],
    )
    assert.deepEqual(
      log.lines.map(({ event, facts }) => [event, facts['name']]),
      [['kubernetes.object-unreadable', 'bad']],
    )
    await assert.rejects(kubernetes.get(nodes, 'bad'), { name: 'SpecError', reason: 'ObjectUnreadable' })
  })
})

describe('the Kubernetes adapter with an API server in trouble', () => {
  it('WAT-08: renews its credentials once and tries again', async (test) => {
    const { api, kubernetes, log } = await anApiServer(test)
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    api.faults.refuse({ verbs: ['get'] }, 401, 1)
    assert.equal((await kubernetes.get(nodes, 'n1'))?.metadata.name, 'n1')
    assert.deepEqual(
      log.lines.map(({ event }) => event),
      ['kubernetes.credentials-renewed'],
    )
  })

  it('WAT-08: says so when renewed credentials are refused too', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    api.faults.refuse({ verbs: ['get'] }, 401)
    await assert.rejects(kubernetes.get(nodes, 'n1'), {
      name: 'ConfigError',
      reason: 'Unauthorized',
      message:
        'Cannot get Node "n1": the API server refused renewed credentials too, use an identity that it knows',
    })
    assert.equal(api.requests().length, 2)
  })

  it('says what is missing when it may not', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    api.faults.refuse({ plurals: ['nodes'] }, 403)
    await assert.rejects(kubernetes.get(nodes, 'n1'), { name: 'ConfigError', reason: 'Forbidden' })
  })

  it('waits as long as a busy server asks, for a while', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    api.faults.refuse({ verbs: ['get'] }, 429, 1)
    assert.equal((await kubernetes.get(nodes, 'n1'))?.metadata.name, 'n1')
  })

  it('leaves a failing server to a later attempt', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    api.faults.refuse({ verbs: ['get'] }, 503)
    await assert.rejects(kubernetes.get(nodes, 'n1'), {
      name: 'TransientError',
      reason: 'ServerError',
      retryAfterMs: 1_000,
    })
  })

  it('opens a new connection when the one it kept was closed', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await kubernetes.create(nodes, { metadata: { name: `n${attempt}` } })
      api.faults.dropConnections()
      assert.ok(await kubernetes.get(nodes, `n${attempt}`))
    }
  })
})
