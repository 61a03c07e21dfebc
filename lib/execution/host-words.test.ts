import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { idPattern, toFact } from './host-words.ts'

describe('toFact', () => {
  it('passes on what a host says of itself', () => {
    assert.equal(toFact(' flock setsid '), 'flock setsid')
    assert.equal(toFact('/var/lib/kpssh or /run/kpssh'), '/var/lib/kpssh or /run/kpssh')
  })

  it('makes it fit for a terminal, on one line', () => {
    assert.equal(
      toFact('\u001b[2J\u001b]0;owned\u0007\nkpssh: done'),
      '\\x1b[2J\\x1b]0;owned\\x07 | kpssh: done',
    )
  })

  it('cuts what is too long to be a fact, whatever it is made of', () => {
    assert.equal(toFact('x'.repeat(1_000_000)), `${'x'.repeat(300)}…`)
    assert.ok(toFact('\u001b'.repeat(1_000_000)).length <= 301)
    assert.ok(toFact('\ud83d\ude00'.repeat(1_000_000)).isWellFormed())
  })
})

describe('idPattern', () => {
  it('takes what we give out', () => {
    for (const id of ['6b8b4567-327b-43c6-b1f2-9e3c3f1d7a10', 'by-hand', 'run-1', 'rebooted-17'])
      assert.match(id, idPattern)
  })

  it('takes nothing that could be a path, an option or more than a word', () => {
    for (const id of [
      '',
      '.',
      '../x',
      '/etc',
      '-x',
      'a b',
      'a\n',
      'a\u0000',
      'ä',
      '\u001b[2J',
      'x'.repeat(129),
    ])
      assert.doesNotMatch(id, idPattern)
  })
})
