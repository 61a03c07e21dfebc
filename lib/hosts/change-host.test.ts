import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aHost, aHostKey, probed, t0 } from '../../test/support/builders/hosts.ts'
import {
  alwaysHeldHostStore,
  losesAnswersHostStore,
  losesEveryRaceHostStore,
} from '../../test/support/fakes/adversarial-host-stores.ts'
import { fakeHistory } from '../../test/support/fakes/history.ts'
import { fakeHostStore, type FakeHostStore } from '../../test/support/fakes/host-store.ts'
import { fakeIds } from '../../test/support/fakes/ids.ts'
import { TransientError } from '../errors/transient-error.ts'
import { makeChangeHost } from './change-host.ts'
import type { HostEvent } from './host-event.ts'
import type { HostStore } from './ports.ts'

const claimed: HostEvent = { kind: 'claimed', claim: aClaim() }

function change(hosts: HostStore) {
  const ids = fakeIds('write')
  return makeChangeHost({ hosts, nextWriteID: () => ids.next() })
}

/** Lets rivals write right after the first looks, before we act. */
function withRivals(hosts: FakeHostStore, ...rivals: readonly (() => void)[]): HostStore {
  let writes = 0
  return {
    ...hosts,
    write(...write) {
      rivals[writes]?.()
      writes += 1
      return hosts.write(...write)
    },
  }
}

describe('changeHost', () => {
  it('writes the next version with a write id of its own and the event as cause', async () => {
    const hosts = fakeHostStore(aHost())
    const outcome = await change(hosts)(aHostKey(), claimed, t0)
    assert.equal(outcome.kind, 'changed')
    assert.equal(hosts.records[0]?.version, 2)
    assert.equal(hosts.records[0]?.writeID, 'write-1')
    assert.deepEqual(hosts.causes, ['claimed'])
  })

  it('looks again after a rival whose write does not matter', async () => {
    const hosts = fakeHostStore(aHost())
    const rival = () => hosts.put(aHost({ version: 2, writeID: 'rival', arch: 'arm64' }))
    const outcome = await change(withRivals(hosts, rival))(aHostKey(), claimed, t0)
    assert.equal(outcome.kind, 'changed')
    assert.equal(hosts.records[0]?.arch, 'arm64')
    assert.equal(hosts.records[0].claim?.uid, 'uid-1')
  })

  it('DDB-08: learns from the lost write who holds the host now, and gives way', async () => {
    const hosts = fakeHostStore(aHost())
    const rival = () =>
      hosts.put(aHost({ version: 2, writeID: 'rival', state: 'Claimed', claim: aClaim({ uid: 'uid-2' }) }))
    const outcome = await change(withRivals(hosts, rival))(aHostKey(), claimed, t0)
    assert.equal(outcome.kind, 'refused')
    assert.equal(outcome.kind === 'refused' && outcome.reason, 'held-by-another')
    assert.equal(outcome.record?.claim?.uid, 'uid-2')
  })

  it('gives up after a few looks at a host that never stands still', async () => {
    const hosts = fakeHostStore(aHost())
    const outcome = await change(losesEveryRaceHostStore(hosts))(aHostKey(), probed(), t0)
    assert.equal(outcome.kind === 'refused' && outcome.reason, 'contended')
  })

  it('claims nothing where somebody else always holds the host already', async () => {
    const hosts = alwaysHeldHostStore(fakeHostStore(aHost()), aClaim({ uid: 'uid-2' }))
    const outcome = await change(hosts)(aHostKey(), claimed, t0)
    assert.equal(outcome.kind === 'refused' && outcome.reason, 'held-by-another')
  })

  it('DDB-01: finds its own claim when the answer to it got lost', async () => {
    const hosts = losesAnswersHostStore(fakeHostStore(aHost()), 1)
    await assert.rejects(change(hosts)(aHostKey(), claimed, t0), TransientError)
    assert.equal((await change(hosts)(aHostKey(), claimed, t0)).kind, 'unchanged')
  })

  it('refuses a host that the table does not know', async () => {
    const outcome = await change(fakeHostStore())(aHostKey(), claimed, t0)
    assert.deepEqual(outcome, { kind: 'refused', reason: 'unknown-host', record: undefined })
  })

  it('tells the history what was written, and nothing of what was lost', async () => {
    const history = fakeHistory()
    const hosts = fakeHostStore(aHost())
    const rival = () =>
      hosts.put(aHost({ version: 2, writeID: 'rival', state: 'Claimed', claim: aClaim({ uid: 'uid-2' }) }))
    const ids = fakeIds('write')
    const changed = makeChangeHost({ hosts, nextWriteID: () => ids.next(), history })
    await changed(aHostKey(), claimed, t0)
    await changed(aHostKey(), { kind: 'released', uid: 'uid-1', isClean: true }, t0)
    assert.deepEqual(
      history.entries.map(({ kind }) => kind),
      ['claimed', 'released'],
    )
    hosts.put(aHost())
    const loser = makeChangeHost({ hosts: withRivals(hosts, rival), nextWriteID: () => ids.next(), history })
    await loser(aHostKey(), claimed, t0)
    assert.equal(history.entries.length, 2)
  })

  it('writes nothing when nothing changes', async () => {
    const hosts = fakeHostStore(aHost({ state: 'Claimed', claim: aClaim() }))
    const outcome = await change(hosts)(aHostKey(), claimed, t0)
    assert.equal(outcome.kind, 'unchanged')
    assert.deepEqual(hosts.causes, [])
  })
})
