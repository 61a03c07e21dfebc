import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { redactionForms } from '../../lib/profile/redaction-forms.ts'
import { makeRedactor, redactText } from '../../lib/profile/redactor.ts'
import { tail } from '../../lib/profile/tail.ts'

const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '+', ' ', "'"), minLength: 8, maxLength: 20 })
const secrets = fc.array(
  secret.filter((text) => text.trim() === text),
  { minLength: 1, maxLength: 3 },
)
const noise = fc.string({ unit: fc.constantFrom('a', 'b', 'x', '-', '\n', 'é', ' '), maxLength: 12 })

function outputOf(parts: readonly (readonly [string, number])[], known: readonly string[]): string {
  return parts.map(([text, index]) => text + (known[index % known.length] ?? '')).join('')
}
const parts = fc.array(fc.tuple(noise, fc.nat(5)), { maxLength: 6 })

describe('redaction', () => {
  it('SSH-36: shows the same however the output is cut into chunks', () => {
    fc.assert(
      fc.property(
        secrets,
        parts,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (known, some, sizes) => {
          const forms = redactionForms(known)
          const bytes = Buffer.from(outputOf(some, known))
          const redactor = makeRedactor(forms)
          const shown: Uint8Array[] = []
          for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
            const end = start + (sizes[turn % sizes.length] ?? 1)
            shown.push(redactor.push(bytes.subarray(start, end)))
            start = end
          }
          shown.push(redactor.flush())
          assert.equal(Buffer.concat(shown).toString(), redactText(bytes.toString(), forms))
        },
      ),
    )
  })
  it('shows no secret, in any form, and keeps everything else in order', () => {
    fc.assert(
      fc.property(secrets, parts, (known, some) => {
        const shown = redactText(outputOf(some, known), redactionForms(known))
        for (const value of known) assert.ok(!shown.includes(value))
        const plain = shown.replaceAll('[REDACTED]', '')
        assert.ok(isSubsequence(plain, outputOf(some, known)))
      }),
    )
  })
  it('changes nothing where no secret is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.equal(redactText(text, redactionForms(['0123456789abcdef'])), text)
      }),
    )
  })
})

function isSubsequence(part: string, whole: string): boolean {
  let position = 0
  for (const character of part) {
    position = whole.indexOf(character, position) + 1
    if (position === 0) return false
  }
  return true
}

describe('tail', () => {
  it('is an end of the text and fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 40 }), (text, maxBytes) => {
        const result = tail(text, maxBytes)
        const end = result.replace(/^…/, '')
        assert.ok(text.trim().endsWith(result === text.trim() ? result : end))
        assert.ok(Buffer.byteLength(result === text.trim() ? result : end) <= maxBytes)
      }),
    )
  })
})
