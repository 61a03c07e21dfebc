import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KubeObject } from './kube-object.ts'
import { makeStore } from './store.ts'

const object = (name: string, namespace?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, ...(namespace && { namespace }), uid: name, resourceVersion: '', creationTimestamp: '' },
})

describe('makeStore', () => {
  it('counts every change of every collection with one counter', () => {
    const store = makeStore()
    assert.equal(store.version(), 1000)
    assert.equal(store.put('/a', object('x')).metadata.resourceVersion, '1001')
    assert.equal(store.put('/b', object('x')).metadata.resourceVersion, '1002')
    assert.equal(store.remove('/a', object('x')).metadata.resourceVersion, '1003')
    assert.equal(store.version(), 1003)
  })

  it('lists by namespace, then name', () => {
    const store = makeStore()
    for (const [name, namespace] of [
      ['b', 'two'],
      ['z', 'one'],
      ['a', 'two'],
    ] as const) {
      store.put('/a', object(name, namespace))
    }
    assert.deepEqual(
      store.list('/a').map(({ metadata }) => metadata.name),
      ['z', 'a', 'b'],
    )
    assert.deepEqual(
      store.list('/a', 'two').map(({ metadata }) => metadata.name),
      ['a', 'b'],
    )
  })

  it('remembers changes with the state before them', () => {
    const store = makeStore()
    store.put('/a', object('x'))
    store.put('/a', object('x'))
    store.remove('/a', object('x'))
    assert.deepEqual(
      store
        .changesAfter('/a', 1001)
        .map(({ type, version, previous }) => [type, version, previous?.metadata.resourceVersion]),
      [
        ['MODIFIED', 1002, '1001'],
        ['DELETED', 1003, '1002'],
      ],
    )
  })

  it('cuts the history and says from where it is whole', () => {
    const store = makeStore({ historyLimit: 2 })
    assert.equal(store.oldestVersion('/a'), 1000)
    for (const name of ['p', 'q', 'r', 's', 't']) store.put('/a', object(name))
    assert.equal(store.oldestVersion('/a'), 1003)
    assert.deepEqual(
      store.changesAfter('/a', 1003).map(({ version }) => version),
      [1004, 1005],
    )
    store.forgetHistory()
    assert.equal(store.oldestVersion('/a'), 1005)
    assert.deepEqual(store.changesAfter('/a', 0), [])
  })

  it('tells listeners of their collection alone, until they leave', () => {
    const store = makeStore()
    const heard: string[] = []
    const leave = store.subscribe('/a', ({ object: { metadata } }) => heard.push(metadata.name))
    store.subscribe(undefined, ({ collection }) => heard.push(collection))
    store.put('/a', object('x'))
    leave()
    store.put('/b', object('y'))
    store.put('/a', object('z'))
    assert.deepEqual(heard, ['x', '/a', '/b', '/a'])
  })
})
