import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { indented, printable, printableLine } from './printable.ts'

describe('printable', () => {
  it('makes escape sequences visible', () => {
    assert.equal(printable('\u001b]0;title\u0007 \u001b[2Jgone'), '\\x1b]0;title\\x07 \\x1b[2Jgone')
    assert.equal(printable('a\rb\u009bc'), 'a\\x0db\\x9bc')
  })

  it('makes text that runs backwards visible', () => {
    assert.equal(printable('\u202egpj.exe'), '\\x202egpj.exe')
  })

  it('keeps lines, tabs and letters of any alphabet', () => {
    assert.equal(printable('ä\tб\n漢'), 'ä\tб\n漢')
  })

  it('puts lines on one, or below each other', () => {
    assert.equal(printableLine('a \n  b\nc'), 'a | b | c')
    assert.equal(indented('a\nb', 3), 'a\n   b')
  })
})
