// The quoting is only as right as a real shell finds it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { rawPreamble } from '../../lib/profile/raw-preamble.ts'
import { shellQuote } from '../../lib/profile/shell-quote.ts'

const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom("'", '"', '$', '`', '\\', '\n', '\t', ' ', '!', '*', '~', '&', ';', '%', 'a'),
    maxLength: 20,
  }),
)
const values = fc.array(
  value.filter((text) => !text.includes('\0')),
  { minLength: 1, maxLength: 50 },
)

function bash(script: string): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-s'], {
    input: script,
    env: { PATH: process.env['PATH'] },
  })
  assert.equal(status, 0, stderr.toString())
  return stdout.toString()
}

describe('shellQuote', () => {
  it('ref 1-6: makes of any text one word that bash reads back', () => {
    fc.assert(
      fc.property(values, (texts) => {
        const words = bash(`printf '%s\\0' ${texts.map(shellQuote).join(' ')}`)
        assert.deepEqual(words.split('\0').slice(0, -1), texts)
      }),
      { numRuns: 60 },
    )
  })
})

describe('rawPreamble', () => {
  it('ref 13: exports any values so that bash and its children see them', () => {
    fc.assert(
      fc.property(values, (texts) => {
        const environment = Object.fromEntries(texts.map((text, index) => [`KPSSH_VAR_v${index}`, text]))
        const seen = bash(`${rawPreamble(environment)}env -0`)
        for (const [name, text] of Object.entries(environment)) {
          assert.ok(seen.split('\0').includes(`${name}=${text}`))
        }
      }),
      { numRuns: 40 },
    )
  })
  it('lets no script go on after a failure', () => {
    const { status } = spawnSync('bash', ['-s'], { input: `${rawPreamble({})}false | true\nexit 0\n` })
    assert.equal(status, 1)
  })
})
