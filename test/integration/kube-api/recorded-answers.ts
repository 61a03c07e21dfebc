// Comparing an answer with a recorded one: values that change are placeholders, which must stand for the same value
// everywhere; message wording is free; top-level fields that the recording leaves out are not compared.
import assert from 'node:assert/strict'

export type Known = Map<string, string>

export function assertAnswers(actual: unknown, expected: Record<string, any>, known: Known): void {
  const shown = actual as Record<string, any>
  const isStatus = expected['kind'] === 'Status'
  for (const key of Object.keys(expected)) {
    if (isStatus && key === 'message') continue
    assertSame(comparable(shown[key]), comparable(expected[key]), { path: key, known })
  }
}

/** Causes in any order and without their wording. */
function comparable(value: any): any {
  if (!Array.isArray(value?.causes)) return value
  const causes = value.causes.map(({ reason, field }: any) => `${reason} at ${field}`)
  return { ...value, causes: causes.toSorted() }
}

export function assertSame(
  actual: any,
  expected: any,
  at: { readonly path: string; readonly known: Known },
): void {
  const { path, known } = at
  if (typeof expected === 'string' && /<(uid-\d+|rv|time|token|5)>/.test(expected)) {
    return assertPlaceholder(actual, expected, at)
  }
  if (Array.isArray(expected)) {
    assert.equal(actual?.length, expected.length, `${path}: ${JSON.stringify(actual)}`)
    return expected.forEach((item, index) =>
      assertSame(actual[index], item, { path: `${path}[${index}]`, known }),
    )
  }
  if (typeof expected === 'object' && expected !== null) {
    assert.deepEqual(Object.keys(actual ?? {}).toSorted(), Object.keys(expected).toSorted(), path)
    for (const key of Object.keys(expected)) {
      assertSame(actual[key], expected[key], { path: `${path}.${key}`, known })
    }
    return
  }
  assert.deepEqual(actual, expected, path)
}

function assertPlaceholder(
  actual: unknown,
  expected: string,
  { path, known }: { readonly path: string; readonly known: Known },
): void {
  const forms: readonly (readonly [RegExp, RegExp])[] = [
    [/^<uid-\d+>$/, /^[0-9a-f-]{36}$/],
    [/^<rv>$/, /^[1-9]\d*$/],
    [/^<time>$/, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    [/^<token>$/, /^\S+$/],
    [/^conf-gen-<5>$/, /^conf-gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/],
  ]
  const form = forms.find(([placeholder]) => placeholder.test(expected))?.[1]
  assert.ok(form, `${path}: unknown placeholder ${expected}`)
  assert.match(String(actual), form, path)
  if (!expected.startsWith('<uid-')) return
  const before = known.get(expected)
  if (before === undefined) known.set(expected, String(actual))
  else assert.equal(actual, before, `${path}: ${expected} stands for one object`)
}
