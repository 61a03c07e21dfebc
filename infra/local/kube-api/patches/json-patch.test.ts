import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { jsonPatch } from './json-patch.ts'

describe('jsonPatch', () => {
  const cases: readonly (readonly [about: string, target: unknown, patch: unknown, result: unknown])[] = [
    ['adds a field', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['inserts into a list', [1, 3], [{ op: 'add', path: '/1', value: 2 }], [1, 2, 3]],
    ['appends to a list', [1], [{ op: 'add', path: '/-', value: 2 }], [1, 2]],
    ['removes an item', { a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    ['replaces below a list', [{ a: 1 }], [{ op: 'replace', path: '/0/a', value: 2 }], [{ a: 2 }]],
    ['reads escaped names', { 'a/b~c': 1 }, [{ op: 'replace', path: '/a~1b~0c', value: 2 }], { 'a/b~c': 2 }],
    ['moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['copies', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    ['replaces the whole', 1, [{ op: 'replace', path: '', value: 2 }], 2],
    [
      'goes on after a test that holds',
      { a: 1 },
      [
        { op: 'test', path: '/a', value: 1 },
        { op: 'remove', path: '/a' },
      ],
      {},
    ],
  ]
  for (const [about, target, patch, result] of cases) {
    it(about, () => {
      assert.deepEqual(jsonPatch(target, patch), result)
    })
  }

  const refused: readonly (readonly [about: string, operation: object, code: number])[] = [
    ['a test that fails', { op: 'test', path: '/a', value: 2 }, 422],
    ['a place that is not there', { op: 'replace', path: '/x/y', value: 2 }, 422],
    ['the removal of nothing', { op: 'remove', path: '/x' }, 422],
    ['an index behind the end', { op: 'add', path: '/list/5', value: 2 }, 422],
    ['an index with a leading zero', { op: 'replace', path: '/list/00', value: 2 }, 422],
    ['a path without a slash', { op: 'replace', path: 'a', value: 2 }, 422],
    ['an inherited name', { op: 'replace', path: '/constructor', value: 2 }, 422],
    ['an unknown operation', { op: 'increment', path: '/a' }, 400],
  ]
  for (const [about, operation, code] of refused) {
    it(`refuses ${about}`, () => {
      assert.throws(() => jsonPatch({ a: 1, list: [1] }, [operation]), { code })
    })
  }
})
