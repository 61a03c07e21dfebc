import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ConfigMap } from '../api/config-map.ts'
import { SSHNodeClass } from '../api/ssh-node-class.ts'
import { clusterInfoOf } from './cluster-info.ts'

const metadata = { name: 'lab', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }

function nodeClass(cluster?: object): SSHNodeClass {
  return SSHNodeClass.parse({
    metadata,
    spec: { joinProfileRef: { name: 'demo' }, ...(cluster && { cluster }) },
  })
}
function published(kubeconfig?: string): ConfigMap {
  return { metadata, data: kubeconfig === undefined ? { other: 'x' } : { kubeconfig } }
}
const kubeadm = published(
  'apiVersion: v1\nkind: Config\nclusters:\n- name: ""\n  cluster:\n    server: https://10.0.0.1:6443\n    certificate-authority-data: Y2E=\n',
)

describe('clusterInfoOf', () => {
  it('ref 148: takes what the node class says, also its missing CA', () => {
    const said = nodeClass({ endpoint: 'https://api:6443' })
    assert.deepEqual(clusterInfoOf(said, kubeadm), { endpoint: 'https://api:6443', caBundle: '' })
    const whole = nodeClass({ endpoint: 'https://api:6443', caBundle: 'Q0E=' })
    assert.deepEqual(clusterInfoOf(whole, undefined), { endpoint: 'https://api:6443', caBundle: 'Q0E=' })
  })

  it('ref 148: else reads what kubeadm publishes, under its empty cluster name', () => {
    assert.deepEqual(clusterInfoOf(nodeClass(), kubeadm), {
      endpoint: 'https://10.0.0.1:6443',
      caBundle: 'Y2E=',
    })
  })

  it('takes the first of several clusters by name', () => {
    const two = published(
      'clusters: [{name: b, cluster: {server: "https://b"}}, {name: a, cluster: {server: "https://a"}}]',
    )
    assert.deepEqual(clusterInfoOf(nodeClass(), two), { endpoint: 'https://a', caBundle: '' })
  })

  it('ref 148: says what is wrong with what is published, and what to do', () => {
    const broken: readonly [ConfigMap | undefined, RegExp][] = [
      [undefined, /does not exist, set nodeClass\.spec\.cluster/],
      [published(), /has no key kubeconfig/],
      [published('{'), /not one with a cluster and a server/],
      [published('clusters: []'), /not one with a cluster and a server/],
    ]
    for (const [configMap, message] of broken) {
      assert.throws(() => clusterInfoOf(nodeClass(), configMap), { reason: 'ClusterInfoNotFound', message })
    }
  })
})
