import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addAmounts,
  amountsOf,
  atLeastZero,
  fits,
  formatAmounts,
  lacking,
  largerAmounts,
  smallerAmounts,
  subtractAmounts,
} from './amounts.ts'
import { fitsResources, subtractResources, sumResources } from './resource-list.ts'

describe('amounts', () => {
  it('add and subtract resource by resource, absent being zero', () => {
    const total = addAmounts(amountsOf({ cpu: '1' }), amountsOf({ cpu: '500m', memory: '1Gi' }))
    assert.deepEqual(formatAmounts(total), { cpu: '1500m', memory: '1Gi' })
    const rest = subtractAmounts(amountsOf({ cpu: '1' }), amountsOf({ memory: '1Ki' }))
    assert.deepEqual(formatAmounts(rest), { cpu: '1', memory: '-1Ki' })
    assert.deepEqual(formatAmounts(atLeastZero(rest)), { cpu: '1', memory: '0' })
  })

  it('choose the larger or the smaller of two', () => {
    const [one, other] = [amountsOf({ cpu: '1', memory: '2Gi' }), amountsOf({ cpu: '2', memory: '1Gi' })]
    assert.deepEqual(formatAmounts(largerAmounts(one, other)), { cpu: '2', memory: '2Gi' })
    assert.deepEqual(formatAmounts(smallerAmounts(one, other)), { cpu: '1', memory: '1Gi' })
  })

  it('KS-53: fit where nothing is asked for, even of a resource that is not there', () => {
    assert.equal(fits(amountsOf({ 'nvidia.com/gpu': '0' }), amountsOf({ cpu: '1' })), true)
    assert.equal(fits(amountsOf({ 'nvidia.com/gpu': '1' }), amountsOf({ cpu: '1' })), false)
  })

  it('fit nowhere that is overdrawn already', () => {
    assert.equal(fits(amountsOf({ cpu: '1' }), amountsOf({ cpu: '4', memory: '-1' })), false)
  })

  it('tell what is lacking', () => {
    assert.deepEqual(lacking(amountsOf({ memory: '2Gi', cpu: '1', gpu: '1' }), amountsOf({ cpu: '1' })), [
      'gpu',
      'memory',
    ])
  })
})

describe('resource lists', () => {
  it('keep the format of what they are summed from', () => {
    assert.deepEqual(sumResources([{ memory: '1Gi' }, { memory: '1Gi', cpu: '1' }, {}]), {
      memory: '2Gi',
      cpu: '1',
    })
  })

  it('subtract only from what is there', () => {
    assert.deepEqual(subtractResources({ cpu: '4', memory: '8Gi' }, { cpu: '80m', gpu: '1' }), {
      cpu: '3920m',
      memory: '8Gi',
    })
  })

  it('fit where each request is at most what is available', () => {
    assert.equal(fitsResources({ cpu: '1' }, { cpu: '1000m' }), true)
    assert.equal(fitsResources({ cpu: '1', gpu: '1' }, { cpu: '2' }), false)
  })
})
