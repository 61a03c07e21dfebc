import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parsePortablePattern } from './portable-pattern.ts'

function matches(pattern: string, value: string): boolean {
  const parsed = parsePortablePattern(pattern)
  if (parsed.kind === 'invalid') assert.fail(`${pattern}: ${parsed.message}`)
  return parsed.matches(value)
}

/** For pattern and value in turn, each ended by NUL, a line with 1 or 0, or 2 for what bash cannot read. */
const bashProgram = `
export LC_ALL=C
while IFS= read -r -d '' pattern && IFS= read -r -d '' value; do
  re="^($pattern)\\$"
  [[ $value =~ $re ]]
  case $? in 0) echo 1 ;; 1) echo 0 ;; *) echo 2 ;; esac
done`

type Pair = readonly [pattern: string, value: string]

function askBash(pairs: readonly Pair[]): readonly boolean[] {
  const input = Buffer.from(pairs.map(([pattern, value]) => `${pattern}\0${value}\0`).join(''))
  const answers = execFileSync('bash', ['-c', bashProgram], { input, encoding: 'utf8', timeout: 30_000 })
    .trim()
    .split('\n')
  assert.equal(answers.length, pairs.length)
  return answers.map((answer, index) => {
    assert.notEqual(answer, '2', `bash cannot read ${JSON.stringify(pairs[index])}`)
    return answer === '1'
  })
}

function assertAlike(pairs: readonly Pair[]): void {
  const bash = askBash(pairs)
  for (const [index, [pattern, value]] of pairs.entries()) {
    assert.deepEqual(
      { pattern, value, matches: matches(pattern, value) },
      { pattern, value, matches: bash[index] },
    )
  }
}

const characters = 'ab-.^$]}{)(|*+?\\[,/ é~"\'`<>!&'
const escape = (character: string) => ('.[](){}|*+?^$\\'.includes(character) ? `\\${character}` : character)
const literal = fc.constantFrom(...Array.from(characters.replace('é', ''))).map(escape)
const bracketItem = fc.constantFrom(
  'a',
  'b',
  'a-c',
  ',-/',
  ' -~',
  '!-)',
  '.',
  '$',
  '*',
  '(',
  '{',
  'a^',
  '|',
  '?',
)
const bracket = fc
  .tuple(
    fc.constantFrom('', '^'),
    fc.constantFrom('', '-'),
    fc.array(bracketItem, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '-'),
  )
  .map(([negation, first, items, last]) => `[${negation}${first}${items.join('')}${last}]`)
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '{1,3}')
const patterns = fc
  .letrec<{ pattern: string; atom: string; sequence: string }>((tie) => ({
    pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((options) => options.join('|')),
    sequence: fc
      .array(fc.tuple(tie('atom'), quantifier), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.flat().join('')),
    atom: fc.oneof(
      { maxDepth: 3 },
      literal,
      bracket,
      fc.constant('.'),
      tie('pattern').map((inner) => `(${inner})`),
    ),
  }))
  .pattern.filter((text) => parsePortablePattern(text).kind === 'pattern')
const values = fc
  .array(fc.constantFrom(...Array.from(characters), '\n', '\u007f'), { maxLength: 6 })
  .map((parts) => parts.join(''))

describe('portable patterns', () => {
  it('mean in bash what they mean here, whatever is built from what is allowed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(patterns, values), { minLength: 50, maxLength: 50 }), assertAlike),
      { numRuns: 20, endOnFailure: true },
    )
  })
  it('mean in bash what they mean here, for every byte, alone, escaped and in sets', () => {
    const bytes = Array.from({ length: 126 }, (_, index) => String.fromCharCode(index + 1))
    const written = [
      '.',
      '[a-z]',
      '[^a-z]',
      '[ -~]',
      '[^ -~]',
      '[-+]',
      '[a^-]',
      '[!-/:-@]',
      '\\\\',
      '\\$',
      '\\]',
    ]
    assertAlike(written.flatMap((pattern) => bytes.map((byte) => [pattern, byte] as const)))
  })
  it('count bytes, not characters', () => {
    const pairs: Pair[] = [
      ['..', 'é'],
      ['.', 'é'],
      ['.{4}', '😀'],
      ['[^a]{3}', '€'],
      ['[ -~]*', 'naïve'],
    ]
    assert.deepEqual(
      pairs.map(([pattern, value]) => matches(pattern, value)),
      [true, false, true, true, false],
    )
    assertAlike(pairs)
  })
  it('can say that a value is empty, in one way', () => {
    const pairs: Pair[] = [
      ['.{0}', ''],
      ['.{0}', 'a'],
    ]
    assert.deepEqual(
      pairs.map(([pattern, value]) => matches(pattern, value)),
      [true, false],
    )
    assertAlike(pairs)
  })
  it('match whole values alone', () => {
    assert.equal(matches('a|b', 'ab'), false)
    assert.equal(matches('a|b', 'b'), true)
    assert.equal(matches('a', 'a\n'), false)
  })
  it('are quick, however they are built', () => {
    const startedMs = performance.now()
    assert.equal(matches('(a+)+b', 'a'.repeat(5_000)), false)
    assert.equal(matches('((a|aa)+)+b', 'a'.repeat(5_000)), false)
    assert.equal(matches('[A-Za-z0-9+/]*={0,2}', 'A'.repeat(98_000)), true)
    assert.ok(performance.now() - startedMs < 5_000)
  })

  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /it is empty/],
    ['a'.repeat(4_097), /longer than 4096/],
    ['^a', /"\^a" is not portable/],
    ['a$', /"\$" is not portable/],
    ['\\d', /"\\\\d" is not portable/],
    ['\\<a', /is not portable/],
    ["\\'", /is not portable/],
    ['(?:a)', /is not portable/],
    ['(?=a)', /is not portable/],
    ['a*?', /is not portable/],
    ['a**', /is not portable/],
    ['a{2}{2}', /is not portable/],
    ['a{,2}', /is not portable/],
    ['a{256}', /repeats more than 255 times/],
    ['a{0,256}', /repeats more than 255 times/],
    ['a{3,2}', /ends before it begins/],
    ['*a', /is not portable/],
    ['a||b', /a part of it is empty/],
    ['()', /a part of it is empty/],
    ['(a', /a group of it is not closed/],
    ['a)', /closes no group/],
    ['a]', /is not portable/],
    ['a}', /is not portable/],
    ['[', /is no set/],
    ['[]', /is no set/],
    ['[]a]', /is no set/],
    ['[^]', /is no portable set/],
    ['[[:alpha:]]', /is no set/],
    ['[\\d]', /is no set/],
    ['[z-a]', /ends before it begins/],
    ['[a-c-e]', /has a dash that says nothing/],
    ['[--]', /has a dash that says nothing/],
    ['[é]', /is no set/],
    ['é', /is not portable/],
    ['a\tb', /is not portable/],
    ['(a)\\1', /is not portable/],
    [`${'('.repeat(33)}a${')'.repeat(33)}`, /groups are deeper than 32/],
    ['a{0}', /repeats nothing/],
    ['a{0,0}', /repeats nothing/],
    ['(a*)*', /repeats what may be empty/],
    ['(a|b?)+', /repeats what may be empty/],
    ['(a?b*){2}', /repeats what may be empty/],
    ['(a{255}){255}', /its repetitions make it too large/],
  ]
  for (const [pattern, why] of refused) {
    it(`refuse ${JSON.stringify(pattern.slice(0, 20))}`, () => {
      const parsed = parsePortablePattern(pattern)
      assert.match(parsed.kind === 'invalid' ? parsed.message : 'accepted', why)
    })
  }
  it('never throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.constantFrom(...Array.from('ab[](){}|*+?^$\\-,012.'))).map((all) => all.join('')),
        ),
        (text) => {
          parsePortablePattern(text)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
