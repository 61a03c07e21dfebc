import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { makeDynamoClusters } from '../../lib/adapters/dynamodb/clusters.ts'
import { makeDynamoHistory } from '../../lib/adapters/dynamodb/history.ts'
import { makeDynamoHostStore } from '../../lib/adapters/dynamodb/host-store.ts'
import { makeDynamoClient } from '../../lib/adapters/dynamodb/make-dynamo-client.ts'
import { ConfigError } from '../../lib/errors/config-error.ts'
import { TransientError } from '../../lib/errors/transient-error.ts'
import { makeChangeHost } from '../../lib/hosts/change-host.ts'
import { aClaim, aHost, aHostKey, t0 } from '../support/builders/hosts.ts'
import { fakeClock } from '../support/fakes/clock.ts'
import { startDroppingProxy, startSilentEndpoint } from '../support/fakes/dropping-proxy.ts'
import { fakeIds } from '../support/fakes/ids.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { startTestTable, tableName, type TestTable } from '../support/table.ts'

describe('the table when things go wrong', () => {
  let table: TestTable
  before(async () => {
    table = await startTestTable()
  })
  after(() => table.stop())

  const storeOn = (client = table.client) => makeDynamoHostStore({ client, tableName, log: fakeLog() })

  it('DDB-01: a write that was applied but whose answer got lost reads as written', async () => {
    const record = aHost({ name: 'lost-answer' })
    await storeOn().create(record)
    const proxy = await startDroppingProxy(table.endpoint, { target: 'PutItem', losses: 1 })
    try {
      const hosts = storeOn(table.connect({ endpoint: proxy.endpoint }))
      const next = { ...record, version: 2, writeID: 'w2', claim: aClaim() }
      assert.equal((await hosts.write(next, 1, 'claimed')).kind, 'written')
      assert.equal(proxy.passed.filter((target) => target.endsWith('PutItem')).length, 2)
    } finally {
      await proxy.stop()
    }
  })

  it('DDB-01: a claim whose every answer got lost is claimed, once, when it is tried again', async () => {
    await storeOn().create(aHost({ name: 'no-answers' }))
    const proxy = await startDroppingProxy(table.endpoint, { target: 'PutItem', losses: 3 })
    try {
      const hosts = storeOn(table.connect({ endpoint: proxy.endpoint }))
      const ids = fakeIds('write')
      const change = makeChangeHost({ hosts, nextWriteID: () => ids.next() })
      const claimed = { kind: 'claimed', claim: aClaim() } as const
      await assert.rejects(change(aHostKey('no-answers'), claimed, t0), TransientError)
      assert.equal((await change(aHostKey('no-answers'), claimed, t0)).kind, 'unchanged')
      assert.equal((await hosts.get(aHostKey('no-answers')))?.version, 2)
    } finally {
      await proxy.stop()
    }
  })

  it('SQS-21: an endpoint that accepts and never answers ends in a TransientError, soon', async () => {
    const silent = await startSilentEndpoint()
    const client = makeDynamoClient({ endpoint: silent.endpoint, requestTimeoutMs: 50 })
    try {
      await assert.rejects(storeOn(client).get(aHostKey()), (error) => {
        assert.ok(error instanceof TransientError)
        assert.equal(error.reason, 'TableUnavailable')
        return true
      })
    } finally {
      client.destroy()
      await silent.stop()
    }
  })

  it('names a table that does not exist as a wrong deployment', async () => {
    const hosts = makeDynamoHostStore({ client: table.client, tableName: 'missing', log: fakeLog() })
    await assert.rejects(hosts.get(aHostKey()), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(
        error.message,
        /^Cannot read item "pool#lab": there is no such table, its name and region must be right$/,
      )
      return true
    })
  })

  it('lists the hosts beside one that cannot be read, and refuses that one by name', async () => {
    const [good, bad] = [
      aHost({ key: { ...aHostKey('good'), pool: 'torn' } }),
      { ...aHostKey('bad'), pool: 'torn' },
    ]
    const log = fakeLog()
    const hosts = makeDynamoHostStore({ client: table.client, tableName, log })
    await hosts.create(good)
    await table.client.send(
      new PutItemCommand({
        TableName: tableName,
        Item: { pk: { S: 'pool#torn' }, sk: { S: 'host#kpssh-system/bad' }, state: { S: 'Broken' } },
      }),
    )
    assert.deepEqual(await hosts.list('torn'), [good])
    assert.deepEqual(
      log.lines.map(({ level, event, facts }) => [level, event, facts['item']]),
      [['error', 'host.unreadable', 'host#kpssh-system/bad']],
    )
    await assert.rejects(hosts.get(bad), /Cannot read item "pool#torn host#kpssh-system\/bad": .*state/)
  })

  it('DDB-02: leaves out history that has expired but is still there, and writes its expiry in seconds', async () => {
    const clock = fakeClock(t0)
    const deps = { client: table.client, tableName, ids: fakeIds('old'), log: fakeLog(), clock, keepDays: 1 }
    const history = makeDynamoHistory(deps)
    const host = aHostKey('expiring')
    await history.append({ host, atMs: t0, kind: 'claimed', facts: {} })
    assert.equal((await history.list(host, 10)).length, 1)
    clock.advance(86_400_000)
    assert.deepEqual(await history.list(host, 10), [])
    const { Items = [] } = await table.client.send(new ScanCommand({ TableName: tableName }))
    const [item] = Items.filter(({ pk }) => pk?.S === 'history#lab/kpssh-system/expiring')
    assert.equal(item?.['expiresAt']?.N, '1767312000')
  })

  it('logs history that cannot be written, and goes on', async () => {
    const log = fakeLog()
    const deps = { client: table.client, tableName: 'missing', ids: fakeIds(), log, clock: fakeClock(t0) }
    await makeDynamoHistory(deps).append({ host: aHostKey(), atMs: t0, kind: 'claimed', facts: {} })
    assert.deepEqual(
      log.lines.map(({ level, event }) => [level, event]),
      [['warn', 'history.lost']],
    )
  })

  it('agrees on one installation id among functions that start at once', async () => {
    const made = ['a', 'b', 'c'].map((prefix) =>
      makeDynamoClusters({ client: table.connect(), tableName, ids: fakeIds(prefix) }).installation(),
    )
    assert.equal(new Set(await Promise.all(made)).size, 1)
  })
})
