import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Node } from '../api/node.ts'
import { aClaim, aHost, aHostKey, aJoinedHost } from '../../test/support/builders/hosts.ts'
import { isNameTaken, ownNodes } from './own-nodes.ts'

interface Shape {
  readonly name?: string
  readonly providerID?: string
  readonly ip?: string
  readonly ownerUid?: string
}
function aNode({ name = 'other', providerID, ip, ownerUid }: Shape): Node {
  const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid: ownerUid ?? '' }
  return {
    metadata: {
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(ownerUid !== undefined && { ownerReferences: [owner] }),
    },
    spec: providerID === undefined ? {} : { providerID },
    status: ip === undefined ? {} : { addresses: [{ type: 'InternalIP', address: ip }] },
  }
}
function isOwn(node: Node, host = aJoinedHost()): boolean {
  return ownNodes([node], host).length === 1
}

describe('ownNodes', () => {
  it('knows a Node by providerID, by name and by InternalIP', () => {
    assert.ok(isOwn(aNode({ providerID: 'kpssh://kpssh-system/h1' })))
    assert.ok(isOwn(aNode({ name: 'workers-abcde' })))
    assert.ok(isOwn(aNode({ ip: '192.0.2.1' })))
    assert.ok(!isOwn(aNode({ ip: '192.0.2.2' })))
  })

  it('compares addresses, not their spelling', () => {
    const host = aJoinedHost({ nodeAddress: '2001:db8::1' })
    assert.ok(isOwn(aNode({ ip: '2001:0DB8:0:0::1' }), host))
    assert.ok(!isOwn(aNode({ ip: '192.0.2.1' }), host))
  })

  it('ref 17: never takes a Node of another host with the same address', () => {
    assert.ok(!isOwn(aNode({ ip: '192.0.2.1', providerID: 'kpssh://kpssh-system/h2' })))
    assert.ok(!isOwn(aNode({ ip: '192.0.2.1', providerID: 'aws:///eu-west-1a/i-0abc' })))
    assert.ok(!isOwn(aNode({ ip: '192.0.2.1', ownerUid: 'uid-9' })))
  })

  it('ref 83: takes an adopted Node by its address while its providerID was not seen', () => {
    const adopting = aHost({ claim: aClaim(), state: 'Claimed', leavePending: true })
    const node = aNode({ name: 'mi-0123', ip: '192.0.2.1', providerID: 'eks-hybrid:///eu-west-1/c/mi-0123' })
    assert.ok(isOwn(node, adopting))
    assert.ok(!isOwn(aNode({ ...node, ip: '192.0.2.1', providerID: 'kpssh://kpssh-system/h2' }), adopting))
  })

  it('knows the Node of a zombie, whose claim is long gone', () => {
    const zombie = aHost({ leavePending: true, state: 'Leaving' })
    assert.ok(isOwn(aNode({ providerID: 'kpssh://kpssh-system/h1', ownerUid: 'uid-gone' }), zombie))
  })
})

describe('isNameTaken', () => {
  it('JOIN-06: a Node of the name is another machine unless it has the providerID of this host', () => {
    const host = aJoinedHost({ key: aHostKey('h1') })
    assert.ok(!isNameTaken(undefined, host))
    assert.ok(!isNameTaken(aNode({ providerID: 'kpssh://kpssh-system/h1' }), host))
    assert.ok(isNameTaken(aNode({ providerID: 'kpssh://kpssh-system/h2' }), host))
    assert.ok(isNameTaken(aNode({}), host))
  })
})
