import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { diffLines, shortDiff } from './diff-lines.ts'

function diff(before: string, after: string): string {
  return diffLines(before.split(''), after.split(''))
    .map(({ mark, text }) => `${mark === ' ' ? '' : mark}${text}`)
    .join('')
}

describe('diffLines', () => {
  it('keeps what both have, in its order', () => {
    assert.equal(diff('abcdef', 'abXdef'), 'ab-c+Xdef')
    assert.equal(diff('abcabba', 'cbabac'), '-a-bc-ab+aba+c')
    assert.equal(diff('', 'ab'), '+a+b')
    assert.equal(diff('ab', ''), '-a-b')
    assert.equal(diff('aa', 'a'), 'a-a')
    assert.equal(diff('same', 'same'), 'same')
  })
  it('takes no longer where much is different: the middle is replaced as a whole', () => {
    const lines = (name: string) => Array.from({ length: 5_000 }, (_, index) => `${name}${index}`)
    const result = diffLines(['first', ...lines('a')], ['first', ...lines('b')])
    assert.equal(result.length, 10_001)
    assert.deepEqual(result[0], { mark: ' ', text: 'first' })
  })
})

describe('shortDiff', () => {
  it('shows what differs with a line around it', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
    const after = ['1', '2', 'x', '4', '5', '6', '7', '8']
    assert.deepEqual(shortDiff(before, after), ['  2', '- 3', '+ x', '  4', '…', '  8', '- 9'])
    assert.deepEqual(shortDiff(before, before), [])
  })
})
