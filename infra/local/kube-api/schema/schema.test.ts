import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Cause } from '../status-error.ts'
import { withDefaults } from './default-fields.ts'
import { pruned } from './prune-fields.ts'
import { StructuralSchema } from './structural-schema.ts'
import { schemaCauses } from './validate-schema.ts'

const text = { type: 'string' } as const
const object = (properties: object, more: object = {}): StructuralSchema =>
  StructuralSchema.parse({ type: 'object', properties, ...more })

describe('withDefaults', () => {
  it('fills in what is missing, below what is there', () => {
    const schema = object({
      port: { type: 'integer', default: 22 },
      list: { type: 'array', items: { type: 'object', properties: { mode: { ...text, default: 'Raw' } } } },
      map: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { on: { type: 'boolean', default: true } } },
      },
      nested: { type: 'object', default: {}, properties: { deep: { ...text, default: 'x' } } },
      absent: { type: 'object', properties: { never: { ...text, default: 'x' } } },
    })
    assert.deepEqual(withDefaults(schema, { list: [{}, { mode: 'Verified' }], map: { a: {} } }), {
      port: 22,
      list: [{ mode: 'Raw' }, { mode: 'Verified' }],
      map: { a: { on: true } },
      nested: { deep: 'x' },
    })
  })

  it('takes a null for missing unless null is allowed', () => {
    const schema = object({ a: { ...text, default: 'x' }, b: { ...text, default: 'x', nullable: true } })
    assert.deepEqual(withDefaults(schema, { a: null, b: null }), { a: 'x', b: null })
  })
})

describe('pruned', () => {
  const prune = (schema: StructuralSchema, value: unknown): { value: unknown; dropped: string[] } => {
    const dropped: string[] = []
    return { value: pruned(schema, value, { path: '', dropped, isResource: true }), dropped }
  }

  it('drops unknown fields and says which', () => {
    const schema = object({
      spec: {
        type: 'object',
        properties: { list: { type: 'array', items: { type: 'object', properties: { a: text } } } },
      },
    })
    const value = {
      apiVersion: 'v',
      kind: 'k',
      metadata: { any: 1 },
      spec: { list: [{ a: 'x', b: 1 }], c: 1 },
      d: 1,
    }
    assert.deepEqual(prune(schema, value), {
      value: { apiVersion: 'v', kind: 'k', metadata: { any: 1 }, spec: { list: [{ a: 'x' }] } },
      dropped: ['spec.list[0].b', 'spec.c', 'd'],
    })
  })

  it('keeps maps, and what the schema leaves open', () => {
    const schema = object({
      map: { type: 'object', additionalProperties: text },
      open: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { known: { type: 'object' } },
      },
      quantity: { 'x-kubernetes-int-or-string': true },
    })
    const value = { map: { a: 'x' }, open: { other: { deep: 1 }, known: { gone: 1 } }, quantity: 5 }
    assert.deepEqual(prune(schema, value), {
      value: { map: { a: 'x' }, open: { other: { deep: 1 }, known: {} }, quantity: 5 },
      dropped: ['open.known.gone'],
    })
  })
})

describe('schemaCauses', () => {
  const brief = (causes: readonly Cause[]): readonly string[] =>
    causes.map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field ?? ''}`)
  const check = (field: object, value: unknown): readonly string[] =>
    brief(schemaCauses(object({ f: field }), { f: value }, { path: '' }))

  const cases: readonly (readonly [field: object, valid: unknown, bad: unknown, cause: string])[] = [
    [text, 'x', 5, 'TypeInvalid f'],
    [{ type: 'integer' }, 3, 3.5, 'TypeInvalid f'],
    [{ type: 'number' }, 3, '3', 'TypeInvalid f'],
    [{ ...text, nullable: true }, null, 1, 'TypeInvalid f'],
    [text, 'x', null, 'TypeInvalid f'],
    [{ 'x-kubernetes-int-or-string': true }, 5, 1.5, 'TypeInvalid f'],
    [{ ...text, minLength: 2 }, '🙂🙂', '🙂', 'Invalid f'],
    [{ ...text, maxLength: 2 }, '🙂🙂', 'xxx', 'TooLong f'],
    [{ ...text, pattern: '^a+$' }, 'aa', 'ab', 'Invalid f'],
    [{ ...text, enum: ['a', 'b'] }, 'a', 'A', 'NotSupported f'],
    [{ ...text, format: 'date-time' }, '2026-01-01T00:00:00Z', 'yesterday', 'Invalid f'],
    [{ ...text, format: 'byte' }, 'YQ==', 'Y', 'Invalid f'],
    [{ ...text, format: 'unheard-of' }, 'x', 1, 'TypeInvalid f'],
    [{ type: 'integer', minimum: 1 }, 1, 0, 'Invalid f'],
    [{ type: 'integer', minimum: 1, exclusiveMinimum: true }, 2, 1, 'Invalid f'],
    [{ type: 'integer', maximum: 9 }, 9, 10, 'Invalid f'],
    [{ type: 'integer', format: 'int32' }, -2147483648, 2147483648, 'Invalid f'],
    [{ type: 'integer', multipleOf: 5 }, 10, 11, 'Invalid f'],
    [{ type: 'array', maxItems: 1, items: text }, ['x'], ['x', 'y'], 'TooMany f'],
    [{ type: 'array', minItems: 1, items: text }, ['x'], [], 'Invalid f'],
    [{ type: 'array', items: text }, ['x'], ['x', 1], 'TypeInvalid f[1]'],
    [
      { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      ['x', 'y'],
      ['x', 'x'],
      'Duplicate f[1]',
    ],
    [{ type: 'object', additionalProperties: text }, { a: 'x' }, { a: 1 }, 'TypeInvalid f.a'],
    [
      { type: 'object', additionalProperties: text, maxProperties: 1 },
      { a: 'x' },
      { a: 'x', b: 'y' },
      'TooMany f',
    ],
    [{ type: 'object', required: ['a'], properties: { a: text } }, { a: '' }, {}, 'Required f.a'],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'x', true, 'Invalid f'],
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, 1.5, 1, 'Invalid f'],
    [{ not: { enum: ['x'] } }, 'y', 'x', 'Invalid f'],
  ]
  for (const [field, valid, bad, cause] of cases) {
    it(`takes ${JSON.stringify(valid)} and not ${JSON.stringify(bad)} for ${JSON.stringify(field)}`, () => {
      assert.deepEqual(check(field, valid), [])
      assert.deepEqual(check(field, bad), [cause])
    })
  }

  it('tells items of a list-map apart by their keys', () => {
    const field = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: { type: 'object', properties: { type: text, status: text } },
    }
    assert.deepEqual(
      check(field, [
        { type: 'a', status: '1' },
        { type: 'b', status: '1' },
      ]),
      [],
    )
    assert.deepEqual(
      check(field, [
        { type: 'a', status: '1' },
        { type: 'a', status: '2' },
      ]),
      ['Duplicate f[1]'],
    )
  })

  it('does not hold against an update what was there before', () => {
    const schema = object({ old: { ...text, enum: ['a'] }, next: { ...text, enum: ['a'] } })
    const old = { old: 'gone', next: 'a' }
    assert.deepEqual(brief(schemaCauses(schema, { old: 'gone', next: 'b' }, { path: '', old })), [
      'NotSupported next',
    ])
  })
})
