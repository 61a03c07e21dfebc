import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tail } from './tail.ts'

describe('tail', () => {
  it('ref 7: keeps what fits', () => {
    assert.equal(tail('short', 10), 'short')
    assert.equal(tail('  short\n\n', 5), 'short')
  })
  it('ref 8: keeps the end behind an ellipsis', () => {
    assert.equal(tail(`${'x'.repeat(20)}END`, 5), '…xxEND')
  })
  it('never cuts a character', () => {
    assert.equal(tail('aaaa€€', 5), '…€')
    assert.equal(tail('aaaa😀', 3), '…')
  })
  it('starts with a whole line where more than one fits', () => {
    assert.equal(tail('first line\nsecond\nthird', 15), '…second\nthird')
    assert.equal(tail('first line\nsecond\nthird', 12), '…second\nthird')
    assert.equal(tail('first line\nsecond\nthird', 11), '…third')
  })
  it('cuts a last line that does not fit', () => {
    assert.equal(tail('first\na very long last line', 9), '…last line')
  })
})
