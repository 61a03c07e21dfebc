import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHost, aJoinedHost, aRun, probed, t0 } from '../../test/support/builders/hosts.ts'
import { after, answer } from '../../test/support/builders/transitions.ts'
import type { HostEvent } from './host-event.ts'

const ed25519 = { type: 'ssh-ed25519', fingerprint: 'SHA256:ed' }
const rsa = { type: 'rsa-sha2-512', fingerprint: 'SHA256:rsa' }
const changed: HostEvent = { kind: 'quarantined', reason: 'HostKeyChanged', message: 'another key' }
const repinned: HostEvent = { kind: 'repinned', pins: [ed25519] }

describe('host-keys-learned', () => {
  it('adds types and gives a bare fingerprint its type', () => {
    const host = after(
      aHost({ hostKeys: [{ fingerprint: 'SHA256:ed' }] }),
      { kind: 'host-keys-learned', pins: [ed25519, rsa] },
      t0,
    )
    assert.deepEqual(host.hostKeys, [ed25519, rsa])
  })

  it('never learns another key over a pinned one', () => {
    const other = { type: 'ssh-ed25519', fingerprint: 'SHA256:other' }
    const host = aHost({ hostKeys: [ed25519] })
    assert.equal(answer(host, { kind: 'host-keys-learned', pins: [other] }, t0), 'not-applicable')
  })

  it('changes nothing when everything is known', () => {
    const host = aHost({ hostKeys: [ed25519, rsa] })
    assert.equal(answer(host, { kind: 'host-keys-learned', pins: [rsa] }, t0), 'unchanged')
    assert.equal(
      answer(host, { kind: 'host-keys-learned', pins: [{ fingerprint: 'SHA256:ed' }] }, t0),
      'unchanged',
    )
  })

  it('learns nothing from a machine in quarantine', () => {
    const host = aHost({ state: 'Unhealthy', quarantine: { reason: 'HostKeyChanged', message: '' } })
    assert.equal(answer(host, { kind: 'host-keys-learned', pins: [rsa] }, t0), 'quarantined')
  })
})

describe('quarantined', () => {
  it('parks a free host, and no probe lifts it', () => {
    const host = after(aHost(), changed, t0)
    assert.equal(host.state, 'Unhealthy')
    assert.equal(host.reason, 'HostKeyChanged')
    assert.equal(after(host, probed(), t0).state, 'Unhealthy')
  })

  it('leaves a claim and a run in place: they end by their own events', () => {
    assert.equal(after(aJoinedHost(), changed, t0).state, 'InUse')
    const leaving = aHost({ state: 'Leaving', leavePending: true, run: aRun({ phase: 'leave' }) })
    const host = after(leaving, changed, t0)
    assert.equal(host.state, 'Leaving')
    assert.equal(host.run?.id, 'run-1')
  })

  it('changes nothing the second time', () => {
    assert.equal(answer(after(aHost(), changed, t0), changed, t0), 'unchanged')
  })
})

describe('repinned', () => {
  const host = aHost({
    state: 'Unhealthy',
    quarantine: { reason: 'HostKeyChanged', message: '' },
    hostKeys: [rsa],
    installed: 'demo@1',
    leavePending: true,
    fence: 9,
  })

  it('starts anew with the new pins: nothing is believed installed, a probe comes first', () => {
    const next = after(host, repinned, t0)
    assert.equal(next.state, 'Pending')
    assert.equal(next.quarantine, undefined)
    assert.deepEqual(next.hostKeys, [ed25519])
    assert.equal(next.installed, undefined)
    assert.equal(next.takenIn, false)
    assert.equal(next.fence, 9)
  })

  it('keeps an owed leave, since it may be the old machine with new keys', () => {
    assert.equal(after(host, repinned, t0).leavePending, true)
  })

  it('is refused while somebody holds the host or a run goes on', () => {
    assert.equal(answer(aJoinedHost(), repinned, t0), 'held-by-another')
    const leaving = aHost({ state: 'Leaving', leavePending: true, run: aRun({ phase: 'leave' }) })
    assert.equal(answer(leaving, repinned, t0), 'run-in-progress')
  })
})
