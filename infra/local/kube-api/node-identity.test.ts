import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { localApi, type LocalApi } from '../../../test/support/local-api.ts'
import type { UserInfo } from './user.ts'

const user: UserInfo = { username: 'system:node:mine', groups: ['system:nodes', 'system:authenticated'] }
const nodes = '/api/v1/nodes'
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

describe('a node with its certificate', () => {
  let api: LocalApi
  beforeEach(() => {
    api = localApi()
    for (const name of ['mine', 'other']) api.must('POST', nodes, { metadata: { name } })
  })
  const asNode = (method: string, url: string, body?: object): number =>
    api.ask(method, url, body, { user }).status

  const cases: readonly (readonly [
    about: string,
    method: string,
    url: string,
    body: object | undefined,
    status: number,
  ])[] = [
    ['reads nodes', 'GET', nodes, undefined, 200],
    ['reads pods', 'GET', '/api/v1/pods', undefined, 200],
    ['does not list Secrets', 'GET', '/api/v1/secrets', undefined, 403],
    ['changes its own Node', 'PATCH', `${nodes}/mine`, { metadata: { labels: { a: 'b' } } }, 200],
    ['writes its own status', 'PATCH', `${nodes}/mine/status`, { status: { phase: 'x' } }, 200],
    ['does not touch another Node', 'PATCH', `${nodes}/other`, { metadata: { labels: { a: 'b' } } }, 403],
    ['does not make another Node', 'POST', nodes, { metadata: { name: 'third' } }, 403],
    ['does not delete even its own Node', 'DELETE', `${nodes}/mine`, undefined, 403],
    ['makes its own Lease', 'POST', leases, { metadata: { name: 'mine' } }, 201],
    ['does not make another Lease', 'POST', leases, { metadata: { name: 'other' } }, 403],
    ['does not make Secrets', 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } }, 403],
    [
      'labels itself with a name of nobody',
      'PATCH',
      `${nodes}/mine`,
      { metadata: { labels: { 'example.com/a': 'b' } } },
      200,
    ],
    [
      'labels itself below node.kubernetes.io',
      'PATCH',
      `${nodes}/mine`,
      { metadata: { labels: { 'node.kubernetes.io/a': 'b' } } },
      200,
    ],
    [
      'does not label itself below kubernetes.io',
      'PATCH',
      `${nodes}/mine`,
      { metadata: { labels: { 'x.kubernetes.io/a': 'b' } } },
      403,
    ],
    [
      'does not label itself restricted',
      'PATCH',
      `${nodes}/mine`,
      { metadata: { labels: { 'node-restriction.kubernetes.io/a': 'b' } } },
      403,
    ],
  ]
  for (const [about, method, url, body, status] of cases) {
    it(about, () => {
      assert.equal(asNode(method, url, body), status)
    })
  }
})

describe('others', () => {
  const api = localApi()
  const as = (groups: readonly string[], method: string, url: string): number =>
    api.ask(method, url, undefined, { user: { username: 'u', groups } }).status
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

  it('lets a bootstrap token see to its signing request and nothing else', () => {
    const groups = ['system:bootstrappers', 'system:authenticated']
    assert.equal(as(groups, 'GET', requests), 200)
    assert.equal(as(groups, 'DELETE', `${requests}/x`), 403)
    assert.equal(as(groups, 'PATCH', `${requests}/x/approval`), 403)
    assert.equal(as(groups, 'GET', nodes), 403)
  })

  it('lets nobody in particular read the version, the health and the cluster info', () => {
    const groups = ['system:unauthenticated']
    assert.equal(as(groups, 'GET', '/version'), 200)
    assert.equal(as(groups, 'GET', '/readyz'), 200)
    assert.equal(as(groups, 'GET', '/api'), 403)
    assert.equal(as(groups, 'GET', nodes), 403)
    assert.equal(as(groups, 'GET', '/api/v1/namespaces/kube-public/configmaps/cluster-info'), 404)
  })
})
