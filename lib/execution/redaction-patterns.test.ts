import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redactionPatterns } from './redaction-patterns.ts'

describe('redactionPatterns', () => {
  it('SSH-36: holds the value, its base64 and its quoted forms, longest first', () => {
    const { anywhere } = redactionPatterns([`it's a "secret"`])
    for (const form of [
      `it's a "secret"`,
      `it'\\''s a "secret"`,
      `it's a \\"secret\\"`,
      `it\\'s\\ a\\ \\"secret\\"`,
      'it%27s%20a%20%22secret%22',
      'aXQncyBhICJzZWNyZXQi',
    ]) {
      assert.ok(anywhere.includes(form), form)
    }
    const lengths = anywhere.map((form) => form.length)
    assert.deepEqual(
      lengths,
      [...lengths].sort((a, b) => b - a),
    )
  })

  it('finds the base64 of a value at any place in a longer text', () => {
    const secret = 'activation-code-42'
    const { anywhere } = redactionPatterns([secret])
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const encoded = Buffer.from(`${before}${secret}:tail`).toString('base64')
      assert.ok(
        anywhere.some((form) => form.length >= 20 && encoded.includes(form)),
        encoded,
      )
    }
  })

  it('looks for a value of several lines line by line', () => {
    const { anywhere, words } = redactionPatterns(['first line of it\nsecond line of it\nend\n'])
    assert.ok(anywhere.includes('first line of it') && anywhere.includes('second line of it'))
    assert.ok(!anywhere.includes('end') && !words.includes('end'))
  })

  it('takes a short value only where it stands alone', () => {
    const { anywhere, words } = redactionPatterns(['pin7'])
    assert.ok(words.includes('pin7') && !anywhere.includes('pin7'))
  })

  it('never looks for nothing', () => {
    assert.deepEqual(redactionPatterns(['', '\n', '\n\n']), { anywhere: [], words: [], hints: [] })
  })

  it('gives a hint of everything that it looks for', () => {
    const secrets = [
      'pin7',
      `it's a "secret"`,
      'first line of it\nand the second\n',
      'aaaaaaa\u{1F511}b',
      'é'.repeat(20),
    ]
    const { anywhere, words, hints } = redactionPatterns(secrets)
    for (const line of [...anywhere, ...words])
      assert.ok(
        hints.some((hint) => line.includes(hint)),
        line,
      )
    assert.ok(hints.length < anywhere.length + words.length)
  })
})
