import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StructuralSchema } from './structural-schema.ts'
import { expressionProblem, ruleCauses } from './validate-rules.ts'

const schemaWith = (field: object): StructuralSchema =>
  StructuralSchema.parse({ type: 'object', properties: { f: field } })
const rules = (...list: object[]): object => ({ 'x-kubernetes-validations': list })
const check = (field: object, value: unknown, old?: unknown): readonly string[] =>
  ruleCauses(
    schemaWith(field),
    { f: value },
    { path: '', ...(old !== undefined && { old: { f: old } }) },
  ).map(({ field: where, message }) => `${where ?? ''}: ${message}`)

describe('ruleCauses', () => {
  const cases: readonly (readonly [rule: string, field: object, valid: unknown, bad: unknown])[] = [
    ["self != ''", { type: 'string' }, 'x', ''],
    ['isIP(self)', { type: 'string' }, '2001:db8::1', '2001:db8'],
    ['isCIDR(self)', { type: 'string' }, '192.0.2.0/24', '192.0.2.0/33'],
    ["'cpu' in self && 'memory' in self", { type: 'object' }, { cpu: 1, memory: 1 }, { cpu: 1 }],
    ["self.all(key, key.matches('^[a-z]+$'))", { type: 'object' }, { ab: 1 }, { a1: 1 }],
    [
      'self.all(one, self.exists_one(other, other.k == one.k))',
      { type: 'array', items: { type: 'object' } },
      [{ k: 'a' }, { k: 'b' }],
      [{ k: 'a' }, { k: 'a' }],
    ],
    ['has(self.a) != has(self.b)', { type: 'object' }, { a: 1 }, { a: 1, b: 1 }],
    [
      "type(self) == int ? self > 0 : quantity(self).isGreaterThan(quantity('0'))",
      { 'x-kubernetes-int-or-string': true },
      '1m',
      '-1Gi',
    ],
    [
      "type(self) == int ? self > 0 : quantity(self).isGreaterThan(quantity('0'))",
      { 'x-kubernetes-int-or-string': true },
      1,
      0,
    ],
    ["duration(self) <= duration('1h')", { type: 'string' }, '1h', '61m'],
    ["!self.find('^([^/]+)').endsWith('karpenter.sh')", { type: 'string' }, 'a/b', 'karpenter.sh/b'],
    [
      'self < timestamp("2026-01-02T00:00:00Z")',
      { type: 'string', format: 'date-time' },
      '2026-01-01T00:00:00Z',
      '2026-01-03T00:00:00Z',
    ],
  ]
  for (const [rule, field, valid, bad] of cases) {
    it(`judges ${JSON.stringify(valid)} and ${JSON.stringify(bad)} by ${rule}`, () => {
      const ruled = { ...field, ...rules({ rule, message: 'no' }) }
      assert.deepEqual(check(ruled, valid), [])
      assert.equal(check(ruled, bad).length, 1)
    })
  }

  it('asks a transition rule only where there is an old value', () => {
    const field = { type: 'string', ...rules({ rule: 'self == oldSelf', message: 'immutable' }) }
    assert.deepEqual(check(field, 'b'), [])
    assert.deepEqual(check(field, 'a', 'a'), [])
    assert.deepEqual(check(field, 'b', 'a'), ['f: Invalid value: "b": immutable'])
  })

  it('finds the old item of a list-map by its key, and of no other list', () => {
    const items = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        value: { type: 'string', ...rules({ rule: 'self == oldSelf', message: 'immutable' }) },
      },
    }
    const map = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items,
    }
    const old = [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ]
    const swapped = [
      { name: 'b', value: '2' },
      { name: 'a', value: '9' },
    ]
    assert.deepEqual(check(map, swapped, old), ['f[1].value: Invalid value: "9": immutable'])
    assert.deepEqual(check({ type: 'array', items }, swapped, old), [])
  })

  it('leaves an unchanged value alone that a later rule would refuse', () => {
    const field = { type: 'string', ...rules({ rule: "self != 'old'", message: 'no' }) }
    assert.deepEqual(check(field, 'old', 'old'), [])
    assert.equal(check(field, 'old', 'other').length, 1)
  })

  it('names a map entry by its key, and words the message by an expression', () => {
    const field = {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        ...rules({ rule: 'self > 0', messageExpression: "'got ' + string(self)" }),
      },
    }
    assert.deepEqual(check(field, { cpu: -1 }), ['f[cpu]: Invalid value: -1: got -1'])
  })

  it('answers with the reason that the rule names', () => {
    const field = {
      type: 'object',
      ...rules({ rule: 'has(self.a)', message: 'needed', reason: 'FieldValueRequired', fieldPath: '.a' }),
    }
    assert.deepEqual(check(field, {}), ['f.a: Required value: needed'])
  })

  it('fails a rule that cannot be evaluated', () => {
    assert.equal(check({ type: 'object', ...rules({ rule: 'self.missing > 0' }) }, {}).length, 1)
  })
})

describe('expressionProblem', () => {
  it('finds what does not compile', () => {
    assert.equal(expressionProblem('self.a == oldSelf.a'), undefined)
    assert.match(expressionProblem('self ==') ?? '', /./)
    assert.match(expressionProblem('nosuch(self)') ?? '', /./)
  })
})
