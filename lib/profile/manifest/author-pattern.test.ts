import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parsePattern } from '../pattern.ts'
import { convertPattern } from './author-pattern.ts'
import { parsePortablePattern } from './portable-pattern.ts'

function converted(text: string): string {
  const result = convertPattern(text)
  return result.kind === 'pattern' ? result.pattern : `! ${result.message}`
}

const rows: readonly (readonly [string, string])[] = [
  ['1\\.[0-9]+', '1\\.[0-9]+'],
  ['^1\\.\\d{1,2}$', '1\\.[0-9]{1,2}'],
  ['|systemd|cgroupfs', '(systemd|cgroupfs)?'],
  ['(?:a|b)?c', '(a|b)?c'],
  ['https?://[^\\s]+', 'https?://[!-~]+'],
  ['[^\\n]*', '[ -~]*'],
  ['.', '[ -~]'],
  ['\\w+', '[0-9A-Z_a-z]+'],
  ['\\S', '[!-~]'],
  ['\\s', ' '],
  ['[0-9A-Fa-f.:]+', '[.0-9:A-Fa-f]+'],
  ['[\\w.-]', '[.0-9A-Z_a-z-]'],
  ['\\x41\\u0042\\u{43}', 'ABC'],
  ['[\\]a]', '([a]|\\])'],
  ['[\\^-]', '([-]|\\^)'],
  ['[a^]', '[a^]'],
  ['a*?b+?', 'a*b+'],
  ['a{0}b{0,0}c', 'c'],
  ['()', '.{0}'],
  ['a/b\\/c-d', 'a/b/c-d'],
  ['é', '! nothing that is printable ASCII matches a part of it'],
  ['\\t', '! nothing that is printable ASCII matches a part of it'],
  ['(?=a)', '! "(?=" is not among what a pattern may hold: characters, classes, groups, | and repetitions'],
  ['a{300}', '! "{300}" repeats more than 255 times'],
  ['(a?)*', '! "(a?)*" repeats what may be empty'],
]

describe('convertPattern', () => {
  for (const [text, expected] of rows) {
    it(`makes ${expected} of ${text}`, () => {
      assert.equal(converted(text), expected)
    })
  }

  const ascii = fc.string({ unit: fc.constantFrom(...Array.from('ab-]^\\[.,01 Z~{é\n')), maxLength: 5 })
  const atoms = [
    'a',
    '[ab]',
    '[^a]',
    '[\\]b^-]',
    '\\d',
    '\\w',
    '\\S',
    '.',
    '(a|)',
    '(?:b|[^,])',
    '\\[',
    '[--\\]]',
    '\\x61',
  ]
  const author = fc
    .array(fc.tuple(fc.constantFrom(...atoms), fc.constantFrom('', '?', '+', '*?', '{0,2}', '|')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.flat().join(''))
  it('takes exactly what the author takes, of printable ASCII', () => {
    fc.assert(
      fc.property(author, fc.array(ascii, { minLength: 20, maxLength: 20 }), (text, values) => {
        const known = parsePattern(text)
        const result = convertPattern(text)
        fc.pre(known.kind === 'pattern' && result.kind === 'pattern')
        const portable = parsePortablePattern(result.kind === 'pattern' ? result.pattern : '')
        assert.ok(known.kind === 'pattern' && portable.kind === 'pattern')
        for (const value of values) {
          const isExpected: boolean = /^[ -~]*$/.test(value) && known.matches(value)
          assert.equal(portable.matches(value), isExpected, `${text} ${JSON.stringify(value)}`)
        }
      }),
      { numRuns: 500 },
    )
  })
  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => void convertPattern(text)),
      { numRuns: 1_000 },
    )
  })
})
