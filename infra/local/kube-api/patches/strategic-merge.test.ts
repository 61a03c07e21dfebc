import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { strategicMergePatch } from './strategic-merge.ts'

describe('strategicMergePatch', () => {
  it('merges conditions and addresses by type', () => {
    const target = {
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'x' }, { type: 'Other' }] },
    }
    const patch = {
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: 'a' }],
      },
    }
    assert.deepEqual(strategicMergePatch(target, patch), {
      status: {
        conditions: [{ type: 'Ready', status: 'True', reason: 'x' }, { type: 'Other' }],
        addresses: [{ type: 'InternalIP', address: 'a' }],
      },
    })
  })

  it('replaces taints, which are one value', () => {
    const target = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }
    const patch = { spec: { taints: [{ key: 'b', effect: 'NoSchedule' }] } }
    assert.deepEqual(strategicMergePatch(target, patch), patch)
  })

  it('adds finalizers to those that are there, and takes named ones away', () => {
    const target = { metadata: { finalizers: ['a', 'b'] } }
    assert.deepEqual(strategicMergePatch(target, { metadata: { finalizers: ['c'] } }), {
      metadata: { finalizers: ['a', 'b', 'c'] },
    })
    const removal = { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } }
    assert.deepEqual(strategicMergePatch(target, removal), { metadata: { finalizers: ['b'] } })
  })

  it('deletes one item, or replaces the whole list, where the patch says so', () => {
    const target = { containers: [{ name: 'a' }, { name: 'b', image: 'i' }] }
    assert.deepEqual(strategicMergePatch(target, { containers: [{ name: 'a', $patch: 'delete' }] }), {
      containers: [{ name: 'b', image: 'i' }],
    })
    assert.deepEqual(strategicMergePatch(target, { containers: [{ $patch: 'replace' }, { name: 'c' }] }), {
      containers: [{ name: 'c' }],
    })
  })

  it('leaves nothing of its own directives behind', () => {
    const patch = {
      containers: [{ name: 'c' }],
      '$setElementOrder/containers': [{ name: 'c' }],
      $retainKeys: ['containers'],
    }
    assert.deepEqual(strategicMergePatch({ old: 1 }, patch), { containers: [{ name: 'c' }] })
  })

  it('refuses an item without its merge key', () => {
    assert.throws(() => strategicMergePatch({}, { containers: [{ image: 'i' }] }), { code: 400 })
  })
})
