// What every HostStore promises. The in-memory fake and the real adapter run the same suite, so that tests on the fake mean
// something.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { HostRecord } from '../../lib/hosts/host-record.ts'
import type { HostStore } from '../../lib/hosts/ports.ts'
import { aClaim, aHost, aHostKey, aJoinedHost, aRun, t0 } from '../support/builders/hosts.ts'

export interface Subject<T> {
  readonly subject: T
  stop(): Promise<void>
}

export function hostStoreContract(name: string, start: () => Promise<Subject<HostStore>>): void {
  describe(`HostStore, ${name}`, () => {
    let hosts: HostStore
    let stop: () => Promise<void>
    before(async () => {
      const started = await start()
      hosts = started.subject
      stop = () => started.stop()
    })
    after(() => stop())

    it('does not know a host that nobody created', async () => {
      assert.equal(await hosts.get(aHostKey('unknown')), undefined)
    })

    it('gives back every field of what was created', async () => {
      const record = full('full')
      assert.deepEqual(await hosts.create(record), { kind: 'created', record })
      assert.deepEqual(await hosts.get(record.key), record)
    })

    it('creates a host once and shows who was first', async () => {
      const record = aHost({ name: 'first' })
      await hosts.create(record)
      const outcome = await hosts.create({ ...record, writeID: 'rival' })
      assert.deepEqual(outcome, { kind: 'exists', current: record })
    })

    it('DDB-01: reads a create as created when its own write is already there', async () => {
      const record = aHost({ name: 'twice' })
      await hosts.create(record)
      assert.equal((await hosts.create(record)).kind, 'created')
    })

    it('replaces a record whose version is the believed one, to the last field', async () => {
      await hosts.create(aHost({ name: 'replaced', arch: 'arm64', tokenIDs: ['abcdef'] }))
      const next = aHost({ name: 'replaced', version: 2, writeID: 'w2' })
      assert.deepEqual(await hosts.write(next, 1, 'token-collected'), { kind: 'written', record: next })
      assert.deepEqual(await hosts.get(next.key), next)
    })

    it('DDB-08: refuses a write that believes an old version and says what is there instead', async () => {
      const record = await created(hosts, 'contended')
      const winner = { ...record, version: 2, writeID: 'winner', claim: aClaim({ uid: 'uid-winner' }) }
      await hosts.write(winner, 1, 'claimed')
      const loser = { ...record, version: 2, writeID: 'loser', claim: aClaim({ uid: 'uid-loser' }) }
      assert.deepEqual(await hosts.write(loser, 1, 'claimed'), { kind: 'stale', current: winner })
      assert.deepEqual(await hosts.get(record.key), winner)
    })

    it('DDB-01: reads a repeated write as written when the first attempt was applied', async () => {
      const record = await created(hosts, 'repeated')
      const next = { ...record, version: 2, writeID: 'w2' }
      await hosts.write(next, 1, 'probed')
      assert.deepEqual(await hosts.write(next, 1, 'probed'), { kind: 'written', record: next })
    })

    it('lets one of many writers at the same version win', async () => {
      const record = await created(hosts, 'race')
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          hosts.write({ ...record, version: 2, writeID: `rival-${index}` }, 1, 'claimed'),
        ),
      )
      assert.equal(outcomes.filter(({ kind }) => kind === 'written').length, 1)
    })

    it('refuses to write a host that is gone', async () => {
      const next = aHost({ name: 'gone', version: 2 })
      assert.deepEqual(await hosts.write(next, 1, 'probed'), { kind: 'stale', current: undefined })
    })

    it('removes a host at the believed version only, and a second time reads as done', async () => {
      const { key } = await created(hosts, 'removed')
      assert.equal(await hosts.remove(key, 2), 'stale')
      assert.equal(await hosts.remove(key, 1), 'removed')
      assert.equal(await hosts.remove(key, 1), 'removed')
      assert.equal(await hosts.get(key), undefined)
    })

    it('lists the hosts of one pool by key, and no others', async () => {
      const inPool = (pool: string, name: string): HostRecord => aHost({ key: { ...aHostKey(name), pool } })
      for (const record of [inPool('p', 'b'), inPool('p', 'a'), inPool('pp', 'c')]) await hosts.create(record)
      assert.deepEqual(
        (await hosts.list('p')).map(({ key }) => key.name),
        ['a', 'b'],
      )
      assert.deepEqual(await hosts.list('empty'), [])
      const pools = await hosts.pools()
      assert.deepEqual(
        pools.filter((pool) => pool.startsWith('p')),
        ['p', 'pp'],
      )
    })

    it('lists more than one page of hosts', async () => {
      const message = 'x'.repeat(50_000)
      const names = Array.from({ length: 50 }, (_, index) => `h${String(index).padStart(2, '0')}`)
      for (const name of names)
        await hosts.create(aHost({ key: { ...aHostKey(name), pool: 'large' }, message }))
      assert.deepEqual(
        (await hosts.list('large')).map(({ key }) => key.name),
        names,
      )
    })
  })
}

async function created(hosts: HostStore, name: string): Promise<HostRecord> {
  const record = aHost({ name })
  await hosts.create(record)
  return record
}

function full(name: string): HostRecord {
  return aJoinedHost({
    key: aHostKey(name),
    reason: 'JoinFailed',
    message: 'exit 1',
    fence: 1_767_225_601,
    claim: aClaim({
      joinedAtMs: t0,
      leftAtMs: t0,
      failure: { phase: 'join', reason: 'JoinFailed', message: 'exit 1', blamesHost: true },
    }),
    run: aRun({ wasLeavePending: true }),
    lastRun: { id: 'run-0', phase: 'install', result: 'succeeded', endedAtMs: t0 },
    quarantine: { reason: 'HostKeyChanged', message: '' },
    hostKeys: [{ fingerprint: 'SHA256:a' }, { type: 'ssh-ed25519', fingerprint: 'SHA256:b' }],
    tokenIDs: ['abcdef'],
    nodeAddress: '192.0.2.9',
    capacity: { cpu: 4, memoryBytes: 16_694_710_272 },
    arch: 'arm64',
    agent: 'activating',
    isOursOnHost: true,
    bootID: 'boot-1',
    probedAtMs: t0,
    probeError: 'ConnectTimeout: no answer',
    clockSkewMs: -12,
    failures: { count: 1, lastReason: 'x', lastMessage: '', nodeClaimUid: 'uid-1', notBeforeMs: t0 },
  })
}
