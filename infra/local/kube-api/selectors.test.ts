import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInTypes } from './kinds/built-in-types.ts'
import type { KubeObject } from './kube-object.ts'
import { readFieldSelector, readLabelSelector, readSelectorObject } from './selectors.ts'

const labeled = (labels: Record<string, string>, fields: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '', labels },
  ...fields,
})
const nodes = builtInTypes.find(({ plural }) => plural === 'nodes')!

describe('readLabelSelector', () => {
  const cases: readonly (readonly [selector: string, labels: Record<string, string>, isMatch: boolean])[] = [
    ['', {}, true],
    ['a=1', { a: '1' }, true],
    ['a==1,b=2', { a: '1', b: '3' }, false],
    ['a!=1', {}, true],
    ['a!=1', { a: '1' }, false],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a=', { a: '' }, true],
    ['a in (1, 2)', { a: '2' }, true],
    ['a in (1,2),b', { a: '2' }, false],
    ['a in(1,2)', { a: '1' }, true],
    ['a notin (1,2)', {}, true],
    ['a notin (1,2)', { a: '1' }, false],
    ['a>3', { a: '4' }, true],
    ['a<3', { a: '4' }, false],
    ['a>3', {}, false],
    ['in=1', { in: '1' }, true],
    ['karpenter.sh/nodepool in (x)', { 'karpenter.sh/nodepool': 'x' }, true],
  ]
  for (const [selector, labels, isMatch] of cases) {
    it(`${isMatch ? 'takes' : 'leaves'} ${JSON.stringify(labels)} by "${selector}"`, () => {
      assert.equal(readLabelSelector(selector)(labeled(labels)), isMatch)
    })
  }

  for (const selector of ['=1', 'a in 1', '!a=1', 'a in (1', 'a b']) {
    it(`refuses "${selector}"`, () => {
      assert.throws(() => readLabelSelector(selector), { code: 400, reason: 'BadRequest' })
    })
  }
})

describe('readFieldSelector', () => {
  it('compares names, and the fields that the kind allows', () => {
    assert.equal(readFieldSelector('metadata.name=n', nodes)(labeled({})), true)
    assert.equal(readFieldSelector('metadata.name!=n', nodes)(labeled({})), false)
    assert.throws(() => readFieldSelector('spec.podCIDR=x', nodes), { code: 400 })
    assert.throws(() => readFieldSelector('metadata.namespace=x', nodes), { code: 400 })
  })

  it('reads a flag that is not there as false', () => {
    const select = readFieldSelector('spec.unschedulable=false', nodes)
    assert.equal(select(labeled({})), true)
    assert.equal(select(labeled({}, { spec: { unschedulable: true } })), false)
  })
})

describe('readSelectorObject', () => {
  it('needs every label and every expression', () => {
    const select = readSelectorObject({
      matchLabels: { a: '1' },
      matchExpressions: [
        { key: 'b', operator: 'NotIn', values: ['x'] },
        { key: 'c', operator: 'Exists' },
      ],
    })
    assert.equal(select({ a: '1', c: '' }), true)
    assert.equal(select({ a: '1', b: 'x', c: '' }), false)
    assert.equal(select({ a: '1' }), false)
    assert.equal(readSelectorObject({})({}), true)
  })
})
