import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { makeBoundedOutput } from './bounded-output.ts'

describe('makeBoundedOutput', () => {
  it('keeps everything that fits', () => {
    const output = makeBoundedOutput(10)
    output.push(Buffer.from('12345'))
    output.push(Buffer.from('67890'))
    assert.equal(output.text(), '1234567890')
    assert.equal(output.isTruncated(), false)
  })

  it('keeps head and tail of what does not, and counts the bytes between', () => {
    const output = makeBoundedOutput(10)
    output.push(Buffer.from('12345xyz67890'))
    assert.equal(output.isTruncated(), true)
    assert.equal(output.text(), '12345\n[3 bytes left out]\n67890')
  })

  it('tells the same whatever the chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary-ascii', maxLength: 40 })),
        fc.integer({ min: 2, max: 60 }),
        (parts, max) => {
          const output = makeBoundedOutput(max)
          for (const part of parts) output.push(Buffer.from(part))
          const all = parts.join('')
          const head = Math.ceil(max / 2)
          const left = all.length - max
          const expected =
            left <= 0
              ? all
              : `${all.slice(0, head)}\n[${String(left)} bytes left out]\n${all.slice(all.length - (max - head))}`
          assert.equal(output.text(), expected)
          assert.equal(output.isTruncated(), left > 0)
        },
      ),
    )
  })

  it('does not hold on to the memory of what it was given', () => {
    const output = makeBoundedOutput(4)
    const reused = Buffer.from('abcd')
    output.push(reused)
    reused.fill('x')
    assert.equal(output.text(), 'abcd')
  })
})
