// What a providerID says. There it is parsed to find the host; here nothing is read out of it: a record knows its own.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Node } from '../../lib/api/node.ts'
import type { HostRecord } from '../../lib/hosts/host-record.ts'
import { staticProviderID } from '../../lib/hosts/provider-id.ts'
import { nodes, sshNodeClasses } from '../../lib/kubernetes/resources.ts'
import { ownNodes } from '../../lib/phase/own-nodes.ts'
import { aClaim, aHost, aHostKey, aJoinedHost } from '../support/builders/hosts.ts'
import { aNode, aNodeClass } from '../support/builders/kubernetes.ts'
import { aReconcileWorld, putPendingPod } from '../support/worlds/reconcile-world.ts'

function isOwn(node: Node, host: HostRecord): boolean {
  return ownNodes([node], host).length === 1
}

/** A Node under a name that says nothing, at an address of its own unless told otherwise. */
function nodeWith(providerID: string | undefined, address = '192.0.2.99'): Node {
  const node = aNode({ name: 'somebody', status: { addresses: [{ type: 'InternalIP', address }] } })
  return { ...node, spec: providerID === undefined ? {} : { providerID } }
}

describe('providerID', () => {
  it('ref 85: names namespace and name, and leads back to the host', () => {
    assert.equal(staticProviderID(aHostKey('h1')), 'kpssh://kpssh-system/h1')
    assert.equal(isOwn(nodeWith('kpssh://kpssh-system/h1'), aHost()), true)
    assert.equal(isOwn(nodeWith('kpssh://kpssh-system/h2'), aHost()), false)
    assert.equal(isOwn(nodeWith('kpssh://elsewhere/h1'), aHost()), false)
  })

  it('ref 86: that names no host belongs to nobody, even at the address of one', () => {
    assert.equal(isOwn(nodeWith('kpssh://no-slash', '192.0.2.1'), aHost()), false)
  })

  it('ref 87: that a Node brought leads to the host that adopted it, any other to none', () => {
    const adopted = aJoinedHost({ providerID: 'eks-hybrid:///eu-central-1/lab/mi-1', nodeName: 'mi-1' })
    assert.equal(isOwn(nodeWith('eks-hybrid:///eu-central-1/lab/mi-1'), adopted), true)
    assert.equal(isOwn(nodeWith('eks-hybrid:///eu-central-1/lab/mi-2'), adopted), false)
  })

  it('ref 88: that is empty matches no host that has none either', () => {
    const adopting = aHost({ state: 'Claimed', claim: aClaim(), leavePending: true })
    for (const host of [aHost(), adopting]) {
      assert.equal(isOwn(nodeWith(''), host), false)
      assert.equal(isOwn(nodeWith(undefined), host), false)
    }
  })

  it('ref 88: that is empty registers no Node for a NodeClaim that has none yet', async () => {
    const world = aReconcileWorld()
    world.kubernetes.put(sshNodeClasses, aNodeClass({ spec: { providerIDSource: 'Adopt' } }))
    world.kubernetes.put(nodes, nodeWith(''))
    putPendingPod(world, 'web')
    await world.reconcile()
    await world.heartbeat()
    const [nodeClaim] = await world.nodeClaims()
    assert.equal(nodeClaim?.status?.providerID, undefined)
    assert.deepEqual(
      world.kubernetes.requests.filter((request) => request.endsWith(' nodes/somebody')),
      [],
    )
  })
})
