import assert from 'node:assert/strict'
import type { X509Certificate } from 'node:crypto'
import { connect, isIP } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { connect as tlsConnect } from 'node:tls'
import { CoreV1Api, KubeConfig, V1ConfigMap } from '@kubernetes/client-node'
import { makeAuthority, makeNodeRequest } from '../../infra/local/kube-api/certificates.ts'
import { startKubeApiServer, type KubeApiServer } from '../../infra/local/kube-api/kube-api-server.ts'
import { localClock } from '../../infra/local/kube-api/local-ambient.ts'
import { eventually } from '../support/eventually.ts'
import { makeApiClient, type ApiClient } from './kube-api/api-client.ts'

const nodes = '/api/v1/nodes'
const secrets = '/api/v1/namespaces/kube-system/secrets'
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

describe('the API server over its network', () => {
  let server: KubeApiServer
  let client: ApiClient
  let aheadMs = 0
  const clock = { ...localClock, nowMs: (): number => Date.now() + aheadMs }
  before(async () => {
    server = await startKubeApiServer({
      clock,
      addresses: ['192.0.2.1', 'api.example.com'],
      maxBodyBytes: 10_000,
      tokens: new Map([['t-reader', { username: 'reader', groups: ['readers'] }]]),
    })
    client = makeApiClient(server)
  })
  after(() => server.close())

  describe('credentials', () => {
    const token = async (id: string, fields: object): Promise<string> => {
      const stringData = {
        'token-id': id,
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
        ...fields,
      }
      const body = {
        metadata: { name: `bootstrap-token-${id}` },
        type: 'bootstrap.kubernetes.io/token',
        stringData,
      }
      const { status } = await client.call({
        method: 'POST',
        path: secrets,
        body,
        contentType: 'application/json',
      })
      assert.equal(status, 201)
      return `${id}.0123456789abcdef`
    }
    const statusWith = async (given: string, path = requests): Promise<number> =>
      (await client.call({ path, token: given })).status

    it('are a token that the server was given', async () => {
      assert.equal(await statusWith(server.adminToken, nodes), 200)
      assert.equal(await statusWith('t-reader', nodes), 200)
      assert.equal(server.requests().at(-1)?.username, 'reader')
      assert.equal(await statusWith('t-reade', nodes), 401)
    })

    it('are a bootstrap token until it expires or is deleted', async () => {
      const inTenMinutes = new Date(clock.nowMs() + 600_000).toISOString()
      const given = await token('aaaaaa', { expiration: inTenMinutes })
      assert.equal(await statusWith(given), 200)
      assert.equal(await statusWith('aaaaaa.0123456789abcdeX'), 401)
      assert.equal(await statusWith('aaaaaa.fedcba9876543210'), 401)
      aheadMs = 600_000
      assert.equal(await statusWith(given), 401)
      const lasting = await token('bbbbbb', {})
      assert.equal(await statusWith(lasting), 200)
      await client.call({ method: 'DELETE', path: `${secrets}/bootstrap-token-bbbbbb` })
      assert.equal(await statusWith(lasting), 401)
    })

    it('are no bootstrap token of another use', async () => {
      assert.equal(
        await statusWith(await token('cccccc', { 'usage-bootstrap-authentication': 'false' })),
        401,
      )
      assert.equal(await statusWith(await token('dddddd', { expiration: 'soon' })), 401)
    })

    it('are written into a signing request as who asked', async () => {
      const given = await token('eeeeee', {
        'auth-extra-groups': 'system:bootstrappers:kpssh,system:masters',
      })
      const { requestPem } = await makeNodeRequest('n')
      const request = Buffer.from(requestPem).toString('base64')
      const spec = {
        request,
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['client auth'],
        username: 'root',
      }
      const made = await client.call({
        method: 'POST',
        path: requests,
        token: given,
        body: { metadata: { name: 'r' }, spec },
        contentType: 'application/json',
      })
      assert.deepEqual(made.body['spec'], {
        ...spec,
        username: 'system:bootstrap:eeeeee',
        groups: ['system:bootstrappers', 'system:bootstrappers:kpssh', 'system:authenticated'],
      })
    })

    it('are a client certificate that this server signed, and no other', async () => {
      const { requestPem, keyPem } = await makeNodeRequest('n')
      const cert = await server.authority.signClient(requestPem, 3_600_000, Date.now())
      assert.equal((await client.call({ path: nodes, token: null, cert, key: keyPem })).status, 200)
      assert.equal(server.requests().at(-1)?.username, 'system:node:n')
      const stranger = await makeAuthority(Date.now())
      const foreign = await stranger.signClient(requestPem, 3_600_000, Date.now())
      assert.equal((await client.call({ path: nodes, token: null, cert: foreign, key: keyPem })).status, 401)
    })
  })

  it('is trusted by its own authority, under every name that it was given', async () => {
    const certificate = await new Promise<X509Certificate | undefined>((resolve, reject) => {
      const socket = tlsConnect({ port: server.port, host: '127.0.0.1', ca: server.caPem }, () => {
        resolve(socket.getPeerX509Certificate())
        socket.destroy()
      })
      socket.on('error', reject)
    })
    const isFor = (name: string): boolean =>
      (isIP(name) === 0 ? certificate?.checkHost(name) : certificate?.checkIP(name)) !== undefined
    for (const name of ['localhost', '127.0.0.1', '::1', '192.0.2.1', 'api.example.com']) {
      assert.equal(isFor(name), true, name)
    }
    assert.equal(isFor('192.0.2.2'), false)
  })

  it('serves the official client by its kubeconfig', async () => {
    const config = new KubeConfig()
    config.loadFromString(server.kubeconfig)
    const core = config.makeApiClient(CoreV1Api)
    const map = Object.assign(new V1ConfigMap(), { metadata: { name: 'a' }, data: { x: 'y' } })
    await core.createNamespacedConfigMap({ namespace: 'default', body: map })
    const list = await core.listNamespacedConfigMap({ namespace: 'default' })
    assert.deepEqual(
      list.items.map(({ data }) => data),
      [{ x: 'y' }],
    )
  })

  describe('bad input', () => {
    it('refuses a body over the limit, and goes on', async () => {
      const body = JSON.stringify({ metadata: { name: 'big' }, data: { x: 'y'.repeat(20_000) } })
      const path = '/api/v1/namespaces/default/configmaps'
      const answer = await client.call({ method: 'POST', path, body, contentType: 'application/json' })
      assert.deepEqual([answer.status, answer.body['reason']], [413, 'RequestEntityTooLarge'])
      assert.equal((await client.call({ path })).status, 200)
    })

    it('reads YAML, and no other form', async () => {
      const path = '/api/v1/namespaces/default/configmaps'
      const yaml = { method: 'POST', path, body: 'metadata: {name: y}', contentType: 'application/yaml' }
      assert.equal((await client.call(yaml)).status, 201)
      assert.equal((await client.call({ ...yaml, contentType: 'application/cbor' })).status, 415)
    })

    it('survives bytes that are no TLS and clients that leave', async () => {
      await new Promise<void>((resolve) => {
        const socket = connect(server.port, '127.0.0.1', () => socket.end('GET / HTTP/1.1\r\n\r\n'))
        socket.on('error', () => undefined)
        socket.on('close', () => resolve())
        socket.resume()
      })
      assert.equal((await client.call({ path: '/readyz' })).text, 'ok')
    })
  })

  it('cuts every connection when it is told to', async () => {
    const watch = client.call({ path: `${nodes}?watch=1` })
    await eventually(() => server.liveWatches()['nodes'] === 1)
    server.faults.dropConnections()
    await assert.rejects(watch)
    assert.equal((await client.call({ path: nodes })).status, 200)
  })

  it('counts what it was asked', () => {
    const asked = server.requests().filter(({ verb, plural }) => verb === 'watch' && plural === 'nodes')
    assert.deepEqual(
      asked.map(({ method, status, username }) => [method, status, username]),
      [['GET', 200, 'kubernetes-admin']],
    )
  })
})
