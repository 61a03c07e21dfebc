import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shellQuote } from '../profile/shell-quote.ts'
import { toRawScript } from './raw-script.ts'

describe('shellQuote', () => {
  const cases = [
    ['ref 1', 'plain', "'plain'"],
    ['ref 2', 'with space', "'with space'"],
    ['ref 3', "a'b", "'a'\\''b'"],
    ['ref 4', '$(rm -rf /x)', "'$(rm -rf /x)'"],
    ['ref 5', '`id`', "'`id`'"],
    ['ref 6', '', "''"],
  ] as const
  for (const [id, value, quoted] of cases) {
    it(`${id}: makes ${quoted} of ${value === '' ? 'nothing' : value}`, () => {
      assert.equal(shellQuote(value), quoted)
    })
  }
})

describe('toRawScript', () => {
  it('ref 13: puts options and sorted exports before the script, which follows verbatim', () => {
    const { text, preambleLines } = toRawScript({ B_VAR: 'x y', A_VAR: "it's" }, 'echo done')
    assert.equal(text, "set -euo pipefail\nexport A_VAR='it'\\''s'\nexport B_VAR='x y'\necho done")
    assert.equal(preambleLines, 3)
  })

  it('sorts names by bytes, and counts the lines of values', () => {
    const { text, preambleLines } = toRawScript({ a: '1', _: '2', B: 'x\ny', A: '3' }, '')
    assert.equal(text, "set -euo pipefail\nexport A='3'\nexport B='x\ny'\nexport _='2'\nexport a='1'\n")
    assert.equal(preambleLines, 6)
  })

  for (const name of [
    'a b',
    'a;b',
    'a-b',
    'a.b',
    '1a',
    '$(x)',
    '',
    'A=B=C',
    'BASH_FUNC_x%%',
    'KPSSH_É',
    'A\n',
  ]) {
    it(`ref 9, SSH-37: refuses ${JSON.stringify(name)} as the name of a variable`, () => {
      assert.throws(() => toRawScript({ [name]: 'x' }, ''), { reason: 'EnvironmentInvalid', code: 'SPEC' })
    })
  }

  it('SSH-37: refuses what no environment can carry, and never repeats a value', () => {
    assert.throws(
      () => toRawScript({ KPSSH_SECRET_A: 'se\0cret' }, ''),
      (error) => {
        assert.ok(error instanceof Error && !error.message.includes('cret'))
        return true
      },
    )
    assert.throws(() => toRawScript({}, 'echo \0'), { reason: 'ScriptInvalid' })
  })
})
