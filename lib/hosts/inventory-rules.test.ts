import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaimedHost, aHost, aJoinedHost, aRun, anInventory, t0 } from '../../test/support/builders/hosts.ts'
import { after, answer } from '../../test/support/builders/transitions.ts'
import type { HostEvent, Inventory } from './host-event.ts'

function seen(overrides: Partial<Inventory> = {}): HostEvent {
  return { kind: 'inventory-seen', inventory: anInventory(overrides) }
}

describe('inventory-seen', () => {
  it('changes nothing when the object says what the record says', () => {
    assert.equal(answer(aHost(), seen(), t0), 'unchanged')
    assert.equal(
      answer(aJoinedHost({ nodeAddress: '10.0.0.1' }), seen({ nodeAddress: '10.0.0.1' }), t0),
      'unchanged',
    )
  })

  it('follows an edit of the object, also while the host works', () => {
    const host = after(
      aJoinedHost({ nodeAddress: '10.0.0.1' }),
      seen({ user: 'ubuntu', hostClass: 'big' }),
      t0,
    )
    assert.equal(host.user, 'ubuntu')
    assert.equal(host.hostClass, 'big')
    assert.equal(host.nodeAddress, undefined)
    assert.equal(host.state, 'InUse')
  })

  it('POOL-08: parks a free host at once and lets a working one serve until it is released', () => {
    assert.equal(after(aHost(), seen({ maintenance: true }), t0).state, 'Maintenance')
    const host = after(aJoinedHost(), seen({ maintenance: true }), t0)
    assert.equal(host.state, 'InUse')
    assert.equal(host.maintenance, true)
  })

  it('does not park a host in the middle of a leave', () => {
    const leaving = aHost({ state: 'Leaving', leavePending: true, run: aRun({ phase: 'leave' }) })
    const host = after(leaving, seen({ maintenance: true }), t0)
    assert.equal(host.state, 'Leaving')
    assert.equal(answer(host, seen({ maintenance: true }), t0), 'unchanged')
  })

  it('waits for a probe when maintenance ends', () => {
    assert.equal(after(aHost({ state: 'Maintenance', maintenance: true }), seen(), t0).state, 'Pending')
  })

  it('does not let maintenance hide a quarantine', () => {
    const host = aHost({ state: 'Unhealthy', quarantine: { reason: 'HostKeyChanged', message: '' } })
    assert.equal(after(host, seen({ maintenance: true }), t0).state, 'Unhealthy')
  })

  it('takes another address for another machine: nothing of the old one carries over but the fence', () => {
    const old = aHost({ installed: 'demo@1', hostKeys: [{ fingerprint: 'SHA256:x' }], fence: 9 })
    const host = after(old, seen({ address: '192.0.2.99' }), t0)
    assert.equal(host.state, 'Pending')
    assert.equal(host.address, '192.0.2.99')
    assert.equal(host.installed, undefined)
    assert.deepEqual(host.hostKeys, [])
    assert.equal(host.takenIn, false)
    assert.equal(host.fence, 9)
  })

  it('keeps the address of a machine that still has to be left', () => {
    const moved = seen({ address: '192.0.2.99', user: 'other' })
    assert.equal(
      after(aJoinedHost(), seen({ address: '192.0.2.99', hostClass: 'big' }), t0).address,
      '192.0.2.1',
    )
    assert.equal(answer(aClaimedHost(), moved, t0), 'unchanged')
    assert.equal(answer(aHost({ state: 'Unhealthy', leavePending: true }), moved, t0), 'unchanged')
    const leaving = aHost({ state: 'Leaving', leavePending: true, run: aRun({ phase: 'leave' }) })
    assert.equal(answer(leaving, moved, t0), 'unchanged')
  })

  it('of another cluster of the pool says nothing about a host that is tied to the first', () => {
    const east = seen({ cluster: 'east', sshKeySecret: 'key-of-east', user: 'east', maintenance: true })
    assert.equal(answer(aClaimedHost(), east, t0), 'unchanged')
    assert.equal(answer(aJoinedHost(), east, t0), 'unchanged')
    assert.equal(answer(aHost({ state: 'Unhealthy', leavePending: true }), east, t0), 'unchanged')
    assert.equal(answer(aHost({ tokenIDs: ['abcdef'] }), east, t0), 'unchanged')
    assert.equal(after(aHost(), east, t0).sshKeySecret, 'key-of-east')
  })
})
