import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parsePattern } from './pattern.ts'

function matches(pattern: string, value: string): boolean {
  const parsed = parsePattern(pattern)
  if (parsed.kind === 'invalid') assert.fail(parsed.message)
  return parsed.matches(value)
}

describe('parsePattern', () => {
  it('matches whole values alone, with anchors and without', () => {
    for (const pattern of ['1\\.[0-9]{1,2}', '^1\\.[0-9]{1,2}$', '1\\.\\d\\d?']) {
      assert.deepEqual(
        ['1.3', '1.34', '1.345', 'v1.34', '1x34', '', '1.34\n'].map((value) => matches(pattern, value)),
        [true, true, false, false, false, false, false],
        pattern,
      )
    }
  })
  it('knows choices, groups and every repetition', () => {
    const pattern = '(?:cgroupfs|systemd)?(,[a-z]+=[^,]+){0,2}x*y+'
    const accepted = ['y', 'systemdy', 'cgroupfs,cpu=80m,memory=300Miy', 'xxxyyy', ',a=by']
    const refused = ['', 'x', 'systemd', ',a=b,c=d,e=fy', 'cgroupfssystemdy']
    assert.deepEqual(
      accepted.filter((value) => !matches(pattern, value)),
      [],
    )
    assert.deepEqual(
      refused.filter((value) => matches(pattern, value)),
      [],
    )
  })
  it('takes characters as people count them', () => {
    assert.equal(matches('.', '🦀'), true)
    assert.equal(matches('[🦀é]{2}', 'é🦀'), true)
  })
  it('ends in good time where other ways of matching would not', () => {
    assert.equal(matches('(a+)+b', 'a'.repeat(2_048)), false)
    assert.equal(matches('(a|a)*(a|a)*(a|a)*b', 'a'.repeat(2_048)), false)
    assert.equal(matches('(?:a?){64}a{64}', 'a'.repeat(64)), true)
    assert.equal(matches('(?:(?:)*)*', ''), true)
  })
  it('refuses what it does not know, and says what', () => {
    for (const pattern of [
      '(?=a)',
      '(a)\\1',
      '\\bword',
      '(?<n>a)',
      '(?i:a)',
      'a^b',
      'a$b',
      '(?:a{1000}){1000}',
    ]) {
      const parsed = parsePattern(pattern)
      assert.equal(parsed.kind, 'invalid', pattern)
    }
    assert.deepEqual(parsePattern('a(?!b)'), {
      kind: 'invalid',
      message: '"(?!" is not among what a pattern may hold: characters, classes, groups, | and repetitions',
    })
    for (const pattern of ['[', '(', 'a**', '{', '\\']) {
      assert.deepEqual(parsePattern(pattern), { kind: 'invalid', message: 'it is no regular expression' })
    }
  })
})
