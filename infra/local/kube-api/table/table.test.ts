import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ageText } from './ages.ts'
import { readColumn, readColumnPath } from './column-path.ts'

describe('ageText', () => {
  const cases: readonly (readonly [seconds: number, text: string])[] = [
    [-5, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [130, '2m10s'],
    [599, '9m59s'],
    [600, '10m'],
    [3 * 3600 - 1, '179m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 300, '3h5m'],
    [8 * 3600, '8h'],
    [47 * 3600, '47h'],
    [48 * 3600, '2d'],
    [51 * 3600, '2d3h'],
    [8 * 86400, '8d'],
    [800 * 86400, '2y'],
    [Number.NaN, '<invalid>'],
  ]
  for (const [seconds, text] of cases) {
    it(`says ${text} after ${seconds} s`, () => {
      assert.equal(ageText(0, seconds * 1000), text)
    })
  }
})

describe('readColumn', () => {
  const object = {
    metadata: { labels: { 'a.b/c': 'label' } },
    spec: { items: [{ name: 'x' }, { name: 'y' }] },
    status: {
      conditions: [
        { type: 'Other', status: 'no' },
        { type: 'Ready', status: 'True' },
      ],
    },
  }
  const cases: readonly (readonly [path: string, value: unknown])[] = [
    ['.spec.items[1].name', 'y'],
    ['.spec.items[*].name', 'x'],
    ['.spec.items[-1].name', 'y'],
    ['.metadata.labels.a\\.b/c', 'label'],
    [".metadata.labels['a.b/c']", 'label'],
    ['.status.conditions[?(@.type=="Ready")].status', 'True'],
    [".status.conditions[?(@.type == 'Ready')].status", 'True'],
    ['.status.nothing.here', undefined],
    ['.constructor', undefined],
  ]
  for (const [path, value] of cases) {
    it(`finds ${String(value)} at ${path}`, () => {
      assert.equal(readColumn(object, readColumnPath(path) ?? []), value)
    })
  }

  it('knows a path that it cannot read', () => {
    assert.equal(readColumnPath('.a[?(@.b>1)]'), undefined)
  })
})
