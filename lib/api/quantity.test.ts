import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { vectors } from '../../test/support/kubernetes-vectors.ts'
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  milliUnits,
  parseQuantity,
  Quantity,
  subtractQuantities,
  tryParseQuantity,
  wholeUnits,
} from './quantity.ts'

describe('quantities', () => {
  for (const vector of vectors.quantity) {
    if (vector.error) {
      it(`refuses ${JSON.stringify(vector.in)}`, () => {
        assert.throws(() => parseQuantity(vector.in), { reason: 'QuantityInvalid' })
        assert.equal(Quantity.safeParse(vector.in).success, false)
      })
      continue
    }
    it(`reads ${JSON.stringify(vector.in)} as ${vector.canonical}`, () => {
      assert.equal(canonicalQuantity(vector.in), vector.canonical)
      if (vector.value !== null) assert.equal(wholeUnits(vector.in), BigInt(vector.value))
      if (vector.milli !== null) assert.equal(milliUnits(vector.in), BigInt(vector.milli))
      assert.equal(compareQuantities(vector.in, '0'), vector.sign)
    })
  }

  for (const { a, b, sum, sub, cmp } of vectors.quantityArithmetic) {
    it(`adds, subtracts and compares ${a} and ${b}`, () => {
      assert.equal(addQuantities(a, b), sum)
      assert.equal(subtractQuantities(a, b), sub)
      assert.equal(compareQuantities(a, b), cmp)
    })
  }

  it('reads no amount that takes longer to read than to write', () => {
    assert.equal(tryParseQuantity('9'.repeat(1_000_000)), undefined)
    assert.equal(tryParseQuantity(`0.${'9'.repeat(1_000_000)}`), undefined)
    assert.notEqual(tryParseQuantity('9'.repeat(200)), undefined)
  })

  it('counts in nano units, so that nothing is lost', () => {
    assert.equal(parseQuantity('80m').nanos, 80_000_000n)
    assert.equal(parseQuantity('1n').nanos, 1n)
  })

  it('keeps text that Go keeps: signs, leading zeros, a dot with nothing behind it', () => {
    assert.equal(canonicalQuantity('+5'), '+5')
    assert.equal(canonicalQuantity('007'), '007')
    assert.equal(canonicalQuantity('1.'), '1.')
    assert.equal(canonicalQuantity('5000'), '5k')
  })

  it('takes a suffix alone for zero, because an API server stores it', () => {
    assert.equal(parseQuantity('Gi').nanos, 0n)
    assert.equal(parseQuantity('m').nanos, 0n)
    assert.equal(tryParseQuantity('+'), undefined)
    assert.equal(tryParseQuantity('.'), undefined)
  })

  it('caps binary amounts at the largest int64', () => {
    assert.equal(canonicalQuantity('100Ei'), '9223372036854775807')
  })

  it('refuses an exponent that would take the machine down', () => {
    assert.equal(tryParseQuantity('1e999999999'), undefined)
  })

  it('shows a binary amount in decimal where rounding would lose something', () => {
    assert.equal(formatQuantity(1_500_000_000n, 'BinarySI'), '1500m')
    assert.equal(formatQuantity(1023n * 1_000_000_000n, 'BinarySI'), '1023')
  })

  it('turns an integer from YAML into text', () => {
    assert.equal(Quantity.parse(4), '4')
    assert.equal(Quantity.safeParse(0.5).success, false)
  })
})
