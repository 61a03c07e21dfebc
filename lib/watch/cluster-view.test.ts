import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  aNode,
  aNodeClaim,
  aNodeClass,
  aPod,
  aProfile,
  anSSHHost,
  isTrueNow,
  meta,
} from '../../test/support/builders/kubernetes.ts'
import type { Lease } from '../api/lease.ts'
import { ClusterSnapshot } from '../messages/cluster-observed.ts'
import { type ClusterView, digestOf, makeClusterView, snapshotOf } from './cluster-view.ts'

function aLease(renewTime: string): Lease {
  return { metadata: meta('n1', { namespace: 'kube-node-lease' }), spec: { renewTime } }
}

function aView(): ClusterView {
  const view = makeClusterView()
  view.nodes.put('n', aNode())
  view.leases.put('l', aLease('2026-01-01T00:00:00.000000Z'))
  view.nodeClaims.put('c', aNodeClaim())
  view.sshHosts.put('h', anSSHHost())
  view.nodeClasses.put('k', aNodeClass())
  view.profiles.put('p', aProfile())
  view.pods.put('w', aPod())
  return view
}

describe('snapshotOf', () => {
  it('is what the message schema asks for', () => {
    const snapshot = snapshotOf(aView())
    assert.deepEqual(ClusterSnapshot.parse(snapshot), snapshot)
  })

  it('does not depend on the order in which objects were seen', () => {
    const [one, other] = [makeClusterView(), makeClusterView()]
    for (const name of ['a', 'b', 'c']) one.nodes.put(name, aNode({ name }))
    for (const name of ['c', 'a', 'b']) other.nodes.put(name, aNode({ name }))
    assert.deepEqual(snapshotOf(one), snapshotOf(other))
  })

  it('keeps of a profile what tells whether it changed, and none of its scripts', () => {
    assert.deepEqual(snapshotOf(aView()).profiles, [
      { name: 'demo', version: '1', resourceVersion: '1', agentUnits: ['kubelet'] },
    ])
  })

  it('keeps the instant of a Lease', () => {
    assert.deepEqual(snapshotOf(aView()).leases, [{ nodeName: 'n1', renewedAtMs: 1_767_225_600_000 }])
  })

  it('keeps annotations of Karpenter and ours only', () => {
    const view = makeClusterView()
    const annotations = {
      'karpenter.dklesev.github.io/maintenance': '',
      'karpenter.sh/nodepool-hash': '1',
      'compatibility.karpenter.sh/provider': 'x',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'notkarpenter.sh/x': '1',
    }
    view.sshHosts.put('h', anSSHHost({ metadata: { annotations } }))
    assert.deepEqual(Object.keys(snapshotOf(view).sshHosts[0]?.metadata.annotations ?? {}), [
      'karpenter.dklesev.github.io/maintenance',
      'karpenter.sh/nodepool-hash',
      'compatibility.karpenter.sh/provider',
    ])
  })
})

describe('what matters', () => {
  const noise: readonly (readonly [string, (view: ClusterView) => boolean])[] = [
    [
      'a Node that was written again unchanged',
      (view) => view.nodes.put('n', aNode({ metadata: { resourceVersion: '2' } })),
    ],
    [
      'other words in a condition of a Node',
      (view) =>
        view.nodes.put(
          'n',
          aNode({ status: { conditions: [{ ...isTrueNow('Ready'), message: 'posting ready status' }] } }),
        ),
    ],
    ['a renewed Lease', (view) => view.leases.put('l', aLease('2026-01-01T00:00:10.000000Z'))],
    [
      'a status of an SSHHost',
      (view) => view.sshHosts.put('h', anSSHHost({ status: { state: 'Available' } })),
    ],
    [
      'a condition on a NodeClaim',
      (view) => view.nodeClaims.put('c', aNodeClaim({ status: { conditions: [isTrueNow('Launched')] } })),
    ],
    [
      'a foreign annotation',
      (view) => view.nodes.put('n', aNode({ metadata: { annotations: { 'csi.volume/nodeid': '1' } } })),
    ],
  ]
  for (const [what, happen] of noise) {
    it(`WAT-10: is not ${what}`, () => {
      const view = aView()
      const before = digestOf(snapshotOf(view))
      assert.equal(happen(view), false)
      assert.equal(digestOf(snapshotOf(view)), before)
    })
  }

  const news: readonly (readonly [string, (view: ClusterView) => boolean])[] = [
    [
      'a Node that is not ready any more',
      (view) =>
        view.nodes.put(
          'n',
          aNode({ status: { conditions: [{ ...isTrueNow('Ready'), status: 'Unknown' }] } }),
        ),
    ],
    ['a taint', (view) => view.nodes.put('n', aNode({ spec: { taints: [] } }))],
    [
      'a NodeClaim that is being deleted',
      (view) => view.nodeClaims.put('c', aNodeClaim({ metadata: { deletionTimestamp: 'now' } })),
    ],
    [
      'an SSHHost with another label',
      (view) => view.sshHosts.put('h', anSSHHost({ metadata: { labels: { rack: '2' } } })),
    ],
    ['an object that went', (view) => view.sshHosts.remove('h')],
    ['a new version of a profile', (view) => view.profiles.put('p', aProfile({ spec: { version: '2' } }))],
    ['a pod that went', (view) => view.pods.remove('w')],
  ]
  for (const [what, happen] of news) {
    it(`is ${what}`, () => {
      const view = aView()
      const before = digestOf(snapshotOf(view))
      assert.equal(happen(view), true)
      assert.notEqual(digestOf(snapshotOf(view)), before)
    })
  }

  it('is not a pod that another one like it replaced: the digest is the same', () => {
    const view = aView()
    const before = digestOf(snapshotOf(view))
    view.pods.remove('w')
    view.pods.put('x', aPod({ name: 'web-2' }))
    assert.equal(digestOf(snapshotOf(view)), before)
  })
})
