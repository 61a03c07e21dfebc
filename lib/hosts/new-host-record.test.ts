import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  aHostKey,
  aRun,
  aStart,
  anInventory,
  probed,
  runStarted,
  t0,
} from '../../test/support/builders/hosts.ts'
import { after, answer } from '../../test/support/builders/transitions.ts'
import { HostRecord } from './host-record.ts'
import { newHostRecord } from './new-host-record.ts'

const inUse = {
  state: 'InUse',
  claimRef: { name: 'workers-abcde', uid: 'uid-1' },
  installedProfile: 'demo@1',
  bootstrapTokenID: 'abcdef',
  providerID: 'kpssh://kpssh-system/h1',
  hostKeyFingerprint: 'SHA256:x',
} as const

describe('newHostRecord', () => {
  it('makes a Pending host that nobody is offered before a probe', () => {
    const host = newHostRecord(aHostKey(), anInventory())
    assert.equal(host.state, 'Pending')
    assert.equal(host.takenIn, false)
    assert.equal(host.leavePending, false)
    assert.deepEqual(HostRecord.parse(host), host)
    assert.equal(after(host, probed(), t0).state, 'Available')
  })

  it('parks a host whose annotation is there from the start', () => {
    assert.equal(newHostRecord(aHostKey(), anInventory({ maintenance: true })).state, 'Maintenance')
  })

  it('rebuilds what a lost table knew from the status', () => {
    const host = newHostRecord(aHostKey(), anInventory(), inUse)
    assert.equal(host.state, 'InUse')
    assert.equal(host.claim?.uid, 'uid-1')
    assert.equal(host.claim.joinedAtMs, 0)
    assert.equal(host.installed, 'demo@1')
    assert.equal(host.providerID, 'kpssh://kpssh-system/h1')
    assert.deepEqual(host.tokenIDs, ['abcdef'])
    assert.deepEqual(host.hostKeys, [{ fingerprint: 'SHA256:x' }])
    assert.deepEqual(HostRecord.parse(host), host)
  })

  it('owes a leave to a host that may have been a member, and can run it', () => {
    const host = newHostRecord(aHostKey(), anInventory(), inUse)
    assert.equal(host.leavePending, true)
    assert.equal(answer(host, runStarted({ run: aStart({ phase: 'leave' }) }), t0), 'moved')
    const leaving = newHostRecord(aHostKey(), anInventory(), { state: 'Leaving' })
    assert.equal(leaving.leavePending, true)
    assert.equal(leaving.state, 'Leaving')
  })

  it('ref 15.10: makes Pending of a status that says Claimed or InUse without a claim', () => {
    assert.equal(newHostRecord(aHostKey(), anInventory(), { state: 'InUse' }).state, 'Pending')
  })

  it('starts with a fence below every fence that its first run will get', () => {
    const host = newHostRecord(aHostKey(), anInventory(), inUse)
    assert.equal(host.fence, 0)
    assert.ok(after(host, runStarted({ run: aStart({ phase: 'leave' }) }), t0).fence >= aRun().fence)
  })
})
