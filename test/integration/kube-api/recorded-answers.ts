// Comparing an answer with a recorded one: values that change are placeholders, which must stand for the same value
// everywhere; message wording is free; top-level fields that the recording leaves out are not compared.
import assert from 'node:assert/strict'
import {
  isList,
  isRecord,
  listOf,
  printed,
  recordOf,
  type JsonRecord,
} from '../../../infra/local/kube-api/json.ts'

/** What each `<uid-N>` stands for, found out on the way. */
export type Known = Map<string, string>

export function assertAnswers(actual: JsonRecord, expected: JsonRecord, known: Known): void {
  for (const key of Object.keys(expected)) {
    if (expected['kind'] === 'Status' && key === 'message') continue
    assertSame(comparable(actual[key]), comparable(expected[key]), { path: key, known })
  }
}

/** Causes in any order and without their wording. */
function comparable(value: unknown): unknown {
  if (!isRecord(value) || !isList(value['causes'])) return value
  const causes = value['causes'].map(recordOf)
  const shown = causes.map(({ reason, field }) => `${printed(reason)} at ${printed(field)}`)
  return { ...value, causes: shown.toSorted() }
}

interface Place {
  readonly path: string
  readonly known: Known
}

export function assertSame(actual: unknown, expected: unknown, place: Place): void {
  const { path, known } = place
  if (typeof expected === 'string' && /<(uid-\d+|rv|time|token|5)>/.test(expected)) {
    assertPlaceholder(actual, expected, place)
  } else if (isList(expected)) {
    assert.equal(listOf(actual).length, expected.length, `${path}: ${JSON.stringify(actual)}`)
    for (const [index, item] of expected.entries()) {
      assertSame(listOf(actual)[index], item, { path: `${path}[${index}]`, known })
    }
  } else if (isRecord(expected)) {
    const record = recordOf(actual)
    assert.deepEqual(Object.keys(record).toSorted(), Object.keys(expected).toSorted(), path)
    for (const key of Object.keys(expected)) {
      assertSame(record[key], expected[key], { path: `${path}.${key}`, known })
    }
  } else {
    assert.deepEqual(actual, expected, path)
  }
}

const forms: readonly (readonly [placeholder: RegExp, form: RegExp])[] = [
  [/^<uid-\d+>$/, /^[0-9a-f-]{36}$/],
  [/^<rv>$/, /^[1-9]\d*$/],
  [/^<time>$/, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
  [/^<token>$/, /^\S+$/],
  [/^conf-gen-<5>$/, /^conf-gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/],
]

function assertPlaceholder(actual: unknown, expected: string, { path, known }: Place): void {
  const form = forms.find(([placeholder]) => placeholder.test(expected))?.[1]
  assert.ok(form, `${path}: unknown placeholder ${expected}`)
  assert.match(printed(actual), form, path)
  if (!expected.startsWith('<uid-')) return
  const before = known.get(expected)
  if (before === undefined) known.set(expected, printed(actual))
  else assert.equal(actual, before, `${path}: ${expected} stands for one object`)
}
