import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shortText } from './short-text.ts'

describe('shortText', () => {
  it('leaves alone what fits', () => assert.equal(shortText('abc', 3), 'abc'))
  it('says that something is missing', () => assert.equal(shortText('abcd', 3), 'ab…'))
  it('cuts no character in two', () => assert.equal(shortText('a\u{1F600}b', 3), 'a…'))
})
