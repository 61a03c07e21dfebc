import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exportLines, rawPreamble } from './raw-preamble.ts'
import { shellQuote } from './shell-quote.ts'

describe('shellQuote', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['ref 1', 'plain', "'plain'"],
    ['ref 2', 'with space', "'with space'"],
    ['ref 3', "a'b", "'a'\\''b'"],
    ['ref 4', '$(rm -rf /x)', "'$(rm -rf /x)'"],
    ['ref 5', '`id`', "'`id`'"],
    ['ref 6', '', "''"],
  ]
  for (const [id, value, quoted] of cases) {
    it(`${id}: makes one word of ${JSON.stringify(value)}`, () => {
      assert.equal(shellQuote(value), quoted)
    })
  }
})

describe('rawPreamble', () => {
  it('ref 13: fails fast and exports in order of names, byte for byte', () => {
    assert.equal(
      `${rawPreamble({ B_VAR: 'x y', A_VAR: "it's" })}echo done`,
      "set -euo pipefail\nexport A_VAR='it'\\''s'\nexport B_VAR='x y'\necho done",
    )
  })
  it('sorts upper case before underscore before lower case', () => {
    assert.deepEqual(exportLines({ b: '', _: '', B: '', a: '' }), [
      "export B=''",
      "export _=''",
      "export a=''",
      "export b=''",
    ])
  })
  it('ref 9: refuses names outside the grammar', () => {
    for (const name of ['a b', 'a;b', 'a-b', 'a.b', '1a', '$(x)', '']) {
      assert.throws(() => rawPreamble({ [name]: '' }), { reason: 'EnvironmentInvalid' })
    }
    assert.doesNotThrow(() => rawPreamble({ GOOD_NAME_1: '' }))
  })
})
