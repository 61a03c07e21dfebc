import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mergePatch } from './merge-patch.ts'

describe('mergePatch', () => {
  // RFC 7386, appendix A.
  const cases: readonly (readonly [target: string, patch: string, result: string])[] = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ]
  for (const [target, patch, result] of cases) {
    it(`makes ${result} of ${target} by ${patch}`, () => {
      assert.deepEqual(mergePatch(JSON.parse(target), JSON.parse(patch)), JSON.parse(result))
    })
  }

  it('keeps a key named __proto__ a key', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'))
    assert.equal(JSON.stringify(merged), '{"__proto__":{"polluted":true}}')
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  })
})
