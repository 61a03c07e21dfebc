import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aClaimedHost, aHost, aJoinedHost, aRun, t0 } from '../../test/support/builders/hosts.ts'
import { after, answer } from '../../test/support/builders/transitions.ts'
import type { HostEvent } from './host-event.ts'

const claimed: HostEvent = { kind: 'claimed', claim: aClaim(), providerID: 'kpssh://kpssh-system/h1' }
const released: HostEvent = { kind: 'released', uid: 'uid-1', isClean: true }

describe('claimed', () => {
  it('gives a free host to the NodeClaim and raises the fence to the time in seconds', () => {
    const host = after(aHost(), claimed, t0)
    assert.equal(host.state, 'Claimed')
    assert.equal(host.claim?.uid, 'uid-1')
    assert.equal(host.providerID, 'kpssh://kpssh-system/h1')
    assert.equal(host.fence, 1_767_225_600)
  })

  it('ties a host of a pool that clusters share to the cluster of its claim', () => {
    assert.equal(after(aHost({ cluster: 'east' }), claimed, t0).cluster, 'lab')
  })

  it('raises a fence that is ahead of the time by one, and never lowers it', () => {
    assert.equal(after(aHost({ fence: 1_900_000_000 }), claimed, t0).fence, 1_900_000_001)
  })

  it('DDB-01: reads as done when the same NodeClaim already holds the host', () => {
    assert.equal(answer(aClaimedHost(), claimed, t0), 'unchanged')
  })

  it('is refused with the first reason that stands against it', () => {
    const refusals = [
      [aHost({ state: 'Claimed', claim: aClaim({ uid: 'uid-2' }) }), 'held-by-another'],
      [aHost({ state: 'Leaving', run: aRun({ phase: 'leave' }), leavePending: true }), 'run-in-progress'],
      [aHost({ quarantine: { reason: 'HostKeyChanged', message: '' } }), 'quarantined'],
      [aHost({ takenIn: false }), 'not-taken-in'],
      [aHost({ state: 'Unhealthy' }), 'not-available'],
      [aHost({ state: 'Pending' }), 'not-available'],
    ] as const
    assert.deepEqual(
      refusals.map(([host]) => answer(host, claimed, t0)),
      refusals.map(([, reason]) => reason),
    )
  })

  it('POOL-08: is refused from the moment the maintenance annotation is seen, whatever the state says', () => {
    assert.equal(answer(aHost({ maintenance: true }), claimed, t0), 'in-maintenance')
  })

  it('POOL-09: is refused while a leave is owed, even if the state says Available', () => {
    assert.equal(answer(aHost({ leavePending: true }), claimed, t0), 'leave-pending')
  })

  it('is refused until the back-off has passed, and not a millisecond longer', () => {
    const host = aHost({
      failures: { count: 0, lastReason: 'SecretMissing', lastMessage: '', notBeforeMs: t0 + 30_000 },
    })
    assert.equal(answer(host, claimed, t0 + 29_999), 'backing-off')
    assert.equal(answer(host, claimed, t0 + 30_000), 'moved')
  })
})

describe('claim-failed', () => {
  const failed: HostEvent = {
    kind: 'claim-failed',
    uid: 'uid-1',
    reason: 'RegistrationTimeout',
    message: 'no Node came',
  }

  it('SQS-05: ends the hopes of a claim and blames the host, which backs off once it has left', () => {
    const host = after(aJoinedHost(), failed, t0)
    assert.deepEqual(host.claim?.failure, {
      phase: 'join',
      reason: 'RegistrationTimeout',
      message: 'no Node came',
      blamesHost: true,
    })
    assert.deepEqual([host.state, host.leavePending], ['InUse', true])
    const free = after({ ...host, leavePending: false }, released, t0)
    assert.deepEqual([free.state, free.reason, free.failures?.count], ['Unhealthy', 'RegistrationTimeout', 1])
  })

  it('is said once, and only by the holder', () => {
    assert.equal(answer(after(aJoinedHost(), failed, t0), failed, t0 + 1), 'unchanged')
    assert.equal(answer(aJoinedHost({ claim: aClaim({ uid: 'uid-2' }) }), failed, t0), 'claim-changed')
    assert.equal(answer(aHost(), failed, t0), 'no-claim')
  })
})

describe('released', () => {
  it('returns a host that left cleanly to the pool, warm', () => {
    const host = after(
      aJoinedHost({ leavePending: false, hostKeys: [{ fingerprint: 'SHA256:x' }] }),
      released,
      t0,
    )
    assert.equal(host.state, 'Available')
    assert.equal(host.claim, undefined)
    assert.equal(host.providerID, undefined)
    assert.equal(host.nodeName, undefined)
    assert.equal(host.installed, 'demo@1')
    assert.deepEqual(host.hostKeys, [{ fingerprint: 'SHA256:x' }])
  })

  it('POOL-11: changes nothing when the claim is a successor, and says so', () => {
    const host = aClaimedHost({ claim: aClaim({ uid: 'uid-2' }) })
    assert.equal(answer(host, released, t0), 'claim-changed')
  })

  it('reads as done when the host has no claim any more', () => {
    assert.equal(answer(aHost(), released, t0), 'unchanged')
  })

  it('is refused while a run goes on: its end must be known first', () => {
    assert.equal(answer(aJoinedHost({ run: aRun({ phase: 'leave' }) }), released, t0), 'run-in-progress')
  })

  it('POOL-09: leaves a host that could not be left Unhealthy and still owing its leave', () => {
    const host = after(
      aJoinedHost(),
      { kind: 'released', uid: 'uid-1', isClean: false, reason: 'LeaveFailed', message: 'exit 1' },
      t0,
    )
    assert.equal(host.state, 'Unhealthy')
    assert.equal(host.reason, 'LeaveFailed')
    assert.equal(host.message, 'exit 1')
    assert.equal(host.leavePending, true)
  })

  it('does not believe a release that calls itself clean while a leave is owed', () => {
    assert.equal(after(aJoinedHost(), released, t0).state, 'Unhealthy')
  })

  it('starts the back-off of a failed join anew when the host becomes free', () => {
    const host = aClaimedHost({
      claim: aClaim({
        leftAtMs: t0,
        failure: { phase: 'join', reason: 'JoinFailed', message: 'exit 1', blamesHost: true },
      }),
      failures: {
        count: 2,
        lastReason: 'JoinFailed',
        lastMessage: 'exit 1',
        nodeClaimUid: 'uid-1',
        notBeforeMs: t0 - 1,
      },
    })
    const free = after(host, released, t0)
    assert.equal(free.state, 'Unhealthy')
    assert.equal(free.reason, 'JoinFailed')
    assert.equal(free.failures?.notBeforeMs, t0 + 60_000)
    assert.equal(free.failures.count, 2)
  })

  it('parks a host whose maintenance began while it worked', () => {
    const host = aJoinedHost({ leavePending: false, maintenance: true })
    assert.equal(after(host, released, t0).state, 'Maintenance')
  })

  it('waits for a probe before a host from a rebuilt table is offered', () => {
    const host = aJoinedHost({ leavePending: false, takenIn: false })
    assert.equal(after(host, released, t0).state, 'Pending')
  })

  it('keeps a quarantine beyond the claim', () => {
    const host = aJoinedHost({
      leavePending: false,
      quarantine: { reason: 'HostKeyChanged', message: 'another key' },
    })
    const free = after(host, released, t0)
    assert.equal(free.state, 'Unhealthy')
    assert.equal(free.reason, 'HostKeyChanged')
  })
})

describe('node-matched', () => {
  const matched = {
    kind: 'node-matched',
    uid: 'uid-1',
    providerID: 'eks-hybrid:///x/mi-1',
    nodeName: 'mi-1',
  } as const

  it('makes a host that joined InUse and adopts the providerID of its Node', () => {
    const host = after(
      aClaimedHost({ claim: aClaim({ joinedAtMs: t0 }), providerID: undefined }),
      matched,
      t0,
    )
    assert.equal(host.state, 'InUse')
    assert.equal(host.providerID, 'eks-hybrid:///x/mi-1')
    assert.equal(host.nodeName, 'mi-1')
  })

  it('only notes a Node that appears while its join still runs', () => {
    assert.equal(after(aClaimedHost({ run: aRun() }), matched, t0).state, 'Claimed')
  })

  it('changes nothing the second time', () => {
    const host = after(aClaimedHost({ claim: aClaim({ joinedAtMs: t0 }) }), matched, t0)
    assert.equal(answer(host, matched, t0), 'unchanged')
  })

  it('follows a Node that came back under another name or with another providerID', () => {
    const host = after(aClaimedHost({ claim: aClaim({ joinedAtMs: t0 }) }), matched, t0)
    assert.equal(after(host, { ...matched, nodeName: 'mi-2' }, t0).nodeName, 'mi-2')
    assert.equal(
      after(host, { ...matched, providerID: 'eks-hybrid:///x/mi-2' }, t0).providerID,
      'eks-hybrid:///x/mi-2',
    )
  })

  it('changes nothing when a Node that is already noted is seen again while the join runs', () => {
    const host = after(aClaimedHost({ run: aRun() }), matched, t0)
    assert.equal(answer(host, matched, t0), 'unchanged')
  })

  it('makes a host that joined after its Node was noted InUse, even if nothing else is new', () => {
    const noted = after(aClaimedHost({ run: aRun() }), matched, t0)
    const joined = { ...noted, run: undefined, claim: aClaim({ joinedAtMs: t0 }) }
    assert.equal(after(joined, matched, t0).state, 'InUse')
  })

  it('is refused for another claim and for none', () => {
    assert.equal(answer(aClaimedHost({ claim: aClaim({ uid: 'uid-2' }) }), matched, t0), 'claim-changed')
    assert.equal(answer(aHost(), matched, t0), 'no-claim')
  })
})

describe('tokens', () => {
  const recorded: HostEvent = { kind: 'token-recorded', tokenID: 'abcdef', uid: 'uid-1' }

  it('ref 15.5: are all remembered until each is collected', () => {
    const host = after(aClaimedHost({ tokenIDs: ['aaaaaa'] }), recorded, t0)
    assert.deepEqual(host.tokenIDs, ['aaaaaa', 'abcdef'])
    const collected = after(host, { kind: 'token-collected', tokenID: 'aaaaaa' }, t0)
    assert.deepEqual(collected.tokenIDs, ['abcdef'])
  })

  it('are recorded and collected once', () => {
    const host = aClaimedHost({ tokenIDs: ['abcdef'] })
    assert.equal(answer(host, recorded, t0), 'unchanged')
    assert.equal(answer(host, { kind: 'token-collected', tokenID: 'zzzzzz' }, t0), 'unchanged')
  })

  it('outlive the claim, so that they can still be collected', () => {
    assert.deepEqual(
      after(aJoinedHost({ leavePending: false, tokenIDs: ['abcdef'] }), released, t0).tokenIDs,
      ['abcdef'],
    )
  })
})
