import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { steeredCluster, type SteeredCluster } from '../../../test/support/demo-cluster.ts'
import { textOf, valueAt } from '../kube-api/json.ts'
import { ownerCollector } from './garbage-collector.ts'
import { namespaceController } from './namespaces.ts'
import { tokenCleaner } from './token-cleaner.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const secrets = '/api/v1/namespaces/kube-system/secrets'

describe('what nobody needs any more', () => {
  let cluster: SteeredCluster
  beforeEach(() => {
    cluster = steeredCluster([ownerCollector, namespaceController, tokenCleaner])
  })
  const make = (
    name: string,
    owners: readonly { name: string; uid: string; kind?: string }[] = [],
  ): string => {
    const ownerReferences = owners.map((owner) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...owner }))
    return textOf(
      valueAt(cluster.must('POST', maps, { metadata: { name, ownerReferences } }), ['metadata', 'uid']),
    )
  }
  const remaining = (): readonly string[] =>
    cluster.store.list('/configmaps', 'default').map(({ metadata }) => metadata.name)

  it('goes when its last owner has gone', async () => {
    const one = make('one')
    const two = make('two')
    make('owned', [
      { name: 'one', uid: one },
      { name: 'two', uid: two },
    ])
    make('below', [
      { name: 'owned', uid: textOf(valueAt(cluster.must('GET', `${maps}/owned`), ['metadata', 'uid'])) },
    ])
    cluster.must('DELETE', `${maps}/one`)
    await cluster.settle()
    assert.deepEqual(remaining(), ['below', 'owned', 'two'])
    cluster.must('DELETE', `${maps}/two`)
    await cluster.settle()
    assert.deepEqual(remaining(), [])
  })

  it('goes when its owner is another object of that name', async () => {
    make('one')
    make('owned', [{ name: 'one', uid: 'of-long-ago' }])
    await cluster.settle()
    assert.deepEqual(remaining(), ['one'])
  })

  it("stays while nobody knows its owner's kind", async () => {
    make('owned', [{ name: 'x', uid: 'x', kind: 'Unheard' }])
    await cluster.settle()
    assert.deepEqual(remaining(), ['owned'])
  })

  it('goes before its owner in a foreground delete, and stays in an orphaning one', async () => {
    const one = make('one')
    make('owned', [{ name: 'one', uid: one }])
    cluster.must('DELETE', `${maps}/one`, { propagationPolicy: 'Foreground' })
    assert.deepEqual(remaining(), ['one', 'owned'])
    await cluster.settle()
    assert.deepEqual(remaining(), [])
    const two = make('two')
    make('kept', [{ name: 'two', uid: two }])
    cluster.must('DELETE', `${maps}/two`, { propagationPolicy: 'Orphan' })
    await cluster.settle()
    assert.deepEqual(remaining(), ['kept'])
    assert.equal(valueAt(cluster.must('GET', `${maps}/kept`), ['metadata', 'ownerReferences']), undefined)
  })

  it('goes with its namespace', async () => {
    cluster.must('POST', '/api/v1/namespaces', { metadata: { name: 'short' } })
    cluster.must('POST', '/api/v1/namespaces/short/configmaps', { metadata: { name: 'a' } })
    cluster.must('DELETE', '/api/v1/namespaces/short')
    await cluster.settle()
    assert.equal(cluster.find('/api/v1/namespaces/short'), undefined)
    assert.deepEqual(cluster.store.list('/configmaps', 'short'), [])
  })

  it('goes when its time is up, if it is a bootstrap token', async () => {
    const token = (name: string, expiration: string): void =>
      void cluster.must('POST', secrets, {
        metadata: { name },
        type: 'bootstrap.kubernetes.io/token',
        stringData: { expiration },
      })
    token('bootstrap-token-aaaaaa', '2026-01-01T00:01:00Z')
    token('bootstrap-token-bbbbbb', '2026-01-01T00:03:00Z')
    cluster.clock.advance(120_000)
    await cluster.settle()
    assert.deepEqual(
      cluster.store.list('/secrets').map(({ metadata }) => metadata.name),
      ['bootstrap-token-bbbbbb'],
    )
  })
})
