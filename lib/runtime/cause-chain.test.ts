import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { causeChain } from './cause-chain.ts'

describe('causeChain', () => {
  it('keeps the frames of a bug, without its message a second time', () => {
    const [bug] = causeChain(new TypeError('x is not a function'))
    assert.deepEqual([bug?.name, bug?.message], ['TypeError', 'x is not a function'])
    assert.match(bug?.stack ?? '', /^at .*cause-chain\.test\.ts/)
  })

  it('ends where causes run in a circle', () => {
    const first = new Error('first')
    const second = new Error('second', { cause: first })
    first.cause = second
    assert.deepEqual(
      causeChain(first).map(({ message }) => message),
      ['first', 'second'],
    )
  })

  it('ends a chain that goes on and on, and cuts what is long', () => {
    let error = new Error('x'.repeat(5_000))
    for (let depth = 0; depth < 50; depth += 1) error = new Error('x'.repeat(5_000), { cause: error })
    const chain = causeChain(error)
    assert.equal(chain.length, 8)
    assert.equal(chain[0]?.message.length, 1_000)
  })

  it('says of a thrown object only that it is none of ours: it may hold anything', () => {
    assert.deepEqual(causeChain({ password: 'hunter2' }), [{ name: 'object', message: 'not an Error' }])
  })
})
