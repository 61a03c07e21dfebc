import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { allowanceRules } from './allowances.ts'
import { rules } from './rules.ts'

const files = readdirSync(new URL('rules/', import.meta.url))

function fileName(rule: string): string {
  return rule.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
}

describe('rules', () => {
  it('are all in the list, each in a file of its own, beside its test', () => {
    const expected = rules.flatMap(({ name }) => [`${fileName(name)}.ts`, `${fileName(name)}.test.ts`])
    assert.deepEqual(files.toSorted(), expected.toSorted())
  })
  it('have names of their own', () => {
    const names = [...rules, ...allowanceRules].map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
  })
})
