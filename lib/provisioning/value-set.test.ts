import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Requirement } from '../api/node-pool.ts'
import { conflictingKey, requirementsOf } from './requirements.ts'
import { hasValue, intersect, isEmpty, isNegative, requirementsOfSet, valueSetOf } from './value-set.ts'

function set(operator: string, ...values: string[]) {
  return valueSetOf({ key: 'k', operator, values })
}
function written(...sets: ReturnType<typeof set>[]): readonly Requirement[] {
  const [first = set('Exists'), ...rest] = sets
  return requirementsOfSet(
    'k',
    rest.reduce((all, each) => intersect(all, each), first),
  )
}

describe('value sets', () => {
  it('intersect as sets do', () => {
    assert.deepEqual(written(set('In', 'a', 'b'), set('In', 'b', 'c')), [
      { key: 'k', operator: 'In', values: ['b'] },
    ])
    assert.deepEqual(written(set('In', 'a', 'b'), set('NotIn', 'a')), [
      { key: 'k', operator: 'In', values: ['b'] },
    ])
    assert.deepEqual(written(set('NotIn', 'a'), set('NotIn', 'b')), [
      { key: 'k', operator: 'NotIn', values: ['a', 'b'] },
    ])
    assert.deepEqual(written(set('In', 'a'), set('Exists')), [{ key: 'k', operator: 'In', values: ['a'] }])
    assert.deepEqual(written(set('In', 'a'), set('In', 'b')), [{ key: 'k', operator: 'DoesNotExist' }])
    assert.deepEqual(written(set('Exists'), set('Exists')), [{ key: 'k', operator: 'Exists' }])
  })

  it('keep bounds until the values are listed, then drop what is outside or no integer', () => {
    assert.deepEqual(written(set('Gt', '3'), set('Lt', '9')), [
      { key: 'k', operator: 'Gt', values: ['3'] },
      { key: 'k', operator: 'Lt', values: ['9'] },
    ])
    assert.deepEqual(written(set('Gte', '3'), set('In', '2', '3', 'x')), [
      { key: 'k', operator: 'In', values: ['3'] },
    ])
    assert.deepEqual(written(set('Gt', '8'), set('Lt', '9')), [{ key: 'k', operator: 'DoesNotExist' }])
  })

  it('match nothing beyond the largest integer', () => {
    assert.equal(isEmpty(set('Gt', '9223372036854775807')), true)
  })

  it('write inclusive bounds with operators that every Karpenter knows', () => {
    assert.deepEqual(written(set('Gte', '3')), [{ key: 'k', operator: 'Gt', values: ['2'] }])
    assert.deepEqual(written(set('Lte', '3'), set('NotIn', '1')), [
      { key: 'k', operator: 'NotIn', values: ['1'] },
      { key: 'k', operator: 'Lt', values: ['4'] },
    ])
    assert.deepEqual(written(set('Gte', '0')), [{ key: 'k', operator: 'Exists' }])
  })

  it('carry the larger minValues', () => {
    const [one, other] = [2, 3].map((minValues) => valueSetOf({ key: 'k', operator: 'Exists', minValues }))
    assert.equal(intersect(one!, other!).minValues, 3)
  })

  it('are negative if a node without the label is fine', () => {
    assert.deepEqual(
      ['In', 'NotIn', 'Exists', 'DoesNotExist'].map((operator) =>
        isNegative(set(operator, ...(operator.endsWith('In') ? ['a'] : []))),
      ),
      [false, true, false, true],
    )
  })

  it('tell whether a value is in', () => {
    assert.equal(hasValue(set('NotIn', 'a'), 'b'), true)
    assert.equal(hasValue(set('Lt', '3'), '2'), true)
    assert.equal(hasValue(set('Lt', '3'), 'two'), false)
  })

  it('refuse operators and bounds that nobody can read', () => {
    assert.throws(() => set('Like', 'a'), { reason: 'RequirementInvalid' })
    assert.throws(() => set('Gt', '1', '2'), { reason: 'RequirementInvalid' })
    assert.throws(() => set('Lte', 'x'), { reason: 'RequirementInvalid' })
  })
})

describe('requirements', () => {
  it('agree where both ask for absence', () => {
    const [absent, not] = [
      { key: 'k', operator: 'DoesNotExist' },
      { key: 'k', operator: 'NotIn', values: ['a'] },
    ]
    assert.equal(conflictingKey(requirementsOf([absent]), requirementsOf([not])), undefined)
  })

  it('go by one name, whichever was used', () => {
    const old = requirementsOf([{ key: 'beta.kubernetes.io/arch', operator: 'In', values: ['arm64'] }])
    assert.deepEqual([...old.keys()], ['kubernetes.io/arch'])
  })
})
