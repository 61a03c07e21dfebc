// Who holds a host. There, claim and setters are patches of an SSHHost's status; here, each is one event on the host's record,
// written only if the record is as it was believed to be.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TransientError } from '../../lib/errors/transient-error.ts'
import { checkClaims } from '../../lib/guard/check-claims.ts'
import { makeChangeHost, type ChangeHost } from '../../lib/hosts/change-host.ts'
import type { HostEvent } from '../../lib/hosts/host-event.ts'
import type { HostRecord } from '../../lib/hosts/host-record.ts'
import type { HostStore } from '../../lib/hosts/ports.ts'
import { aClaim, aClaimedHost, aHost, aHostKey, aJoinedHost, t0 } from '../support/builders/hosts.ts'
import { after, answer } from '../support/builders/transitions.ts'
import { alwaysHeldHostStore } from '../support/fakes/adversarial-host-stores.ts'
import { fakeHostStore, type FakeHostStore } from '../support/fakes/host-store.ts'
import { aGuardWorld } from '../support/worlds/guard-world.ts'

const claimed: HostEvent = { kind: 'claimed', claim: aClaim(), providerID: 'kpssh://kpssh-system/h1' }
const released: HostEvent = { kind: 'released', uid: 'uid-1', isClean: true }
const tokenRecorded: HostEvent = { kind: 'token-recorded', tokenID: 'abcdef', uid: 'uid-1' }
const successor = aClaim({ nodeClaim: 'workers-zzzzz', uid: 'uid-2' })

function changerOf(hosts: HostStore): ChangeHost {
  return makeChangeHost({ hosts, nextWriteID: () => 'write-of-the-test' })
}

/** A table in which somebody else writes this record right before the first write. */
function overtakenOnce(hosts: FakeHostStore, rival: HostRecord): HostStore {
  let isOvertaken = false
  return {
    ...hosts,
    write(next, believedVersion, cause) {
      if (!isOvertaken) hosts.put(rival)
      isOvertaken = true
      return hosts.write(next, believedVersion, cause)
    },
  }
}

describe('release', () => {
  it('ref 90: of a host that left gives it back, cleared and installed', () => {
    const { state, claim, providerID, installed, reason } = after(
      aJoinedHost({ leavePending: false }),
      released,
      t0,
    )
    assert.deepEqual(
      [state, claim, providerID, installed, reason],
      ['Available', undefined, undefined, 'demo@1', undefined],
    )
  })

  it('ref 90: of a host that could not be left leaves it Unhealthy, with the reason', () => {
    const unclean = { ...released, isClean: false, reason: 'LeaveFailed', message: 'exit 1' }
    const { state, claim, reason, message } = after(aJoinedHost(), unclean, t0)
    assert.deepEqual([state, claim, reason, message], ['Unhealthy', undefined, 'LeaveFailed', 'exit 1'])
  })

  it('ref 95: by a NodeClaim that is not the holder any more changes nothing', async () => {
    const hosts = fakeHostStore(aJoinedHost({ claim: successor }))
    const outcome = await changerOf(hosts)(aHostKey(), released, t0)
    assert.deepEqual(
      [outcome.kind, outcome.kind === 'refused' && outcome.reason],
      ['refused', 'claim-changed'],
    )
    assert.deepEqual(hosts.records, [aJoinedHost({ claim: successor })])
  })

  it('ref 95: that a new claim overtakes between look and write spares the new claim', async () => {
    const hosts = fakeHostStore(aJoinedHost({ leavePending: false }))
    const store = overtakenOnce(hosts, aClaimedHost({ version: 2, claim: successor }))
    const outcome = await changerOf(store)(aHostKey(), released, t0)
    assert.equal(outcome.kind === 'refused' && outcome.reason, 'claim-changed')
    assert.equal(hosts.records[0]?.claim?.uid, 'uid-2')
  })
})

describe('claim', () => {
  it('ref 91: that loses the race is an outcome, and says who won', async () => {
    const hosts = fakeHostStore(aHost())
    const outcome = await changerOf(alwaysHeldHostStore(hosts, successor))(aHostKey(), claimed, t0)
    assert.equal(outcome.kind === 'refused' && outcome.reason, 'held-by-another')
    assert.equal(outcome.record?.claim?.uid, 'uid-2')
  })

  it('ref 91: that loses to a write which takes nothing away is made on what is there now', async () => {
    const hosts = fakeHostStore(aHost())
    const store = overtakenOnce(hosts, aHost({ version: 2, probedAtMs: t0 }))
    assert.equal((await changerOf(store)(aHostKey(), claimed, t0)).kind, 'changed')
    const { claim, state, probedAtMs } = hosts.records[0] ?? {}
    assert.deepEqual(
      [claim?.nodeClaim, claim?.uid, state, probedAtMs],
      ['workers-abcde', 'uid-1', 'Claimed', t0],
    )
  })

  it('ref 92: passes on what a table answers that is no lost race', async () => {
    const hosts = fakeHostStore(aHost())
    const unavailable = new TransientError(
      'Cannot write item "host": the table answered 500, it is tried again',
    )
    const store = { ...hosts, write: () => Promise.reject(unavailable) }
    await assert.rejects(changerOf(store)(aHostKey(), claimed, t0), unavailable)
    assert.equal(hosts.records[0]?.claim, undefined)
  })
})

describe('what is noted under a claim', () => {
  it('ref 93: survives a write in between', async () => {
    const hosts = fakeHostStore(aClaimedHost())
    const store = overtakenOnce(hosts, aClaimedHost({ version: 2, probedAtMs: t0 }))
    assert.equal((await changerOf(store)(aHostKey(), tokenRecorded, t0)).kind, 'changed')
    assert.deepEqual(hosts.records[0]?.tokenIDs, ['abcdef'])
  })

  it('ref 94: is not noted once the claim is another, whose record stays as it is', async () => {
    const hosts = fakeHostStore(aClaimedHost())
    const rival = aClaimedHost({ version: 2, claim: successor })
    const outcome = await changerOf(overtakenOnce(hosts, rival))(aHostKey(), tokenRecorded, t0)
    assert.equal(outcome.kind === 'refused' && outcome.reason, 'claim-changed')
    assert.deepEqual(hosts.records, [rival])
  })
})

describe('the holder of a host', () => {
  it('ref 96: is who has the uid, whatever the name says', () => {
    const held = aClaimedHost()
    const isHeldBy = (uid: string) =>
      answer(held, { kind: 'claimed', claim: aClaim({ uid }) }, t0) === 'unchanged'
    assert.deepEqual([isHeldBy('uid-1'), isHeldBy('uid-2')], [true, false])
    assert.equal(answer(aHost(), { ...tokenRecorded, uid: 'uid-1' }, t0), 'no-claim')
  })

  it('ref 97: is the NodeClaim of the uid: one that has its name now is another', async () => {
    const held = aClaimedHost({ takenIn: true })
    assert.equal(await staleClaimsOf(held, 'uid-1'), 0)
    assert.equal(await staleClaimsOf(held, 'uid-2'), 1)
    assert.equal(await staleClaimsOf(held, undefined), 1)
  })

  it('ref 97: is, where a rebuilt record knows no uid, the NodeClaim of the name', async () => {
    const held = aClaimedHost({ claim: aClaim({ uid: '' }) })
    assert.equal(await staleClaimsOf(held, 'uid-1'), 0)
    assert.equal(await staleClaimsOf(held, undefined), 1)
  })
})

/** Claims found stale when the NodeClaim `workers-abcde` has this uid, or is not there. */
async function staleClaimsOf(record: HostRecord, uid: string | undefined): Promise<number> {
  const world = aGuardWorld(record)
  if (uid !== undefined) world.putNodeClaim(uid)
  const { staleClaims } = await checkClaims(world.deps, { cluster: 'lab', records: [record] }, world.scope)
  return staleClaims
}
