import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  hasValue,
  intersect,
  isEmpty,
  requirementsOfSet,
  valueSetOf,
  type ValueSet,
} from '../../lib/provisioning/value-set.ts'

const values = ['a', 'b', 'c', '1', '2', '3', '4', '5']
const some = fc.subarray(values, { minLength: 1 })
const integer = fc.integer({ min: 1, max: 5 }).map((value) => [String(value)])

const sets: fc.Arbitrary<ValueSet> = fc
  .oneof(
    some.map((listed) => ({ operator: 'In', values: listed })),
    some.map((listed) => ({ operator: 'NotIn', values: listed })),
    fc.constantFrom('Exists', 'DoesNotExist').map((operator) => ({ operator, values: [] })),
    fc
      .tuple(fc.constantFrom('Gt', 'Lt', 'Gte', 'Lte'), integer)
      .map(([operator, limit]) => ({ operator, values: limit })),
  )
  .map((requirement) => valueSetOf({ key: 'k', ...requirement }))

describe('the algebra of requirements', () => {
  it('keeps exactly the values that both sides allow', () => {
    fc.assert(
      fc.property(sets, sets, (one, other) => {
        const both = intersect(one, other)
        for (const value of [...values, 'other', '99']) {
          assert.equal(hasValue(both, value), hasValue(one, value) && hasValue(other, value), value)
        }
      }),
    )
  })

  it('does not mind the order', () => {
    fc.assert(
      fc.property(sets, sets, sets, (a, b, c) => {
        const write = (set: ValueSet) => requirementsOfSet('k', set)
        assert.deepEqual(write(intersect(intersect(a, b), c)), write(intersect(a, intersect(c, b))))
      }),
    )
  })

  it('is empty only where no value is allowed', () => {
    fc.assert(
      fc.property(sets, sets, (one, other) => {
        const both = intersect(one, other)
        if (isEmpty(both))
          assert.equal(
            [...values, 'other', '99'].some((value) => hasValue(both, value)),
            false,
          )
      }),
    )
  })

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(sets, sets, (one, other) => {
        const both = intersect(one, other)
        const again = requirementsOfSet('k', both).map(valueSetOf).reduce(intersect)
        for (const value of [...values, 'other', '99'])
          assert.equal(hasValue(again, value), hasValue(both, value), value)
      }),
    )
  })
})
