import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aHost, aHostKey, probed, t0 } from '../../test/support/builders/hosts.ts'
import { fakeHostStore, type FakeHostStore } from '../../test/support/fakes/host-store.ts'
import { fakeIds } from '../../test/support/fakes/ids.ts'
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
    let version = 1
    const rival = () => hosts.put(aHost({ version: (version += 1), writeID: `rival-${version}` }))
    const outcome = await change(withRivals(hosts, ...Array.from({ length: 9 }, () => rival)))(
      aHostKey(),
      probed(),
      t0,
    )
    assert.equal(outcome.kind === 'refused' && outcome.reason, 'contended')
  })

  it('refuses a host that the table does not know', async () => {
    const outcome = await change(fakeHostStore())(aHostKey(), claimed, t0)
    assert.deepEqual(outcome, { kind: 'refused', reason: 'unknown-host', record: undefined })
  })

  it('writes nothing when nothing changes', async () => {
    const hosts = fakeHostStore(aHost({ state: 'Claimed', claim: aClaim() }))
    const outcome = await change(hosts)(aHostKey(), claimed, t0)
    assert.equal(outcome.kind, 'unchanged')
    assert.deepEqual(hosts.causes, [])
  })
})
