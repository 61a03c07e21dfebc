// A script that ends with its connection is promised a time that only the deployment can keep.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { attachedUntilMs, longestAttachedMs } from '../lib/phase/budgets.ts'

interface Service {
  readonly functions: Readonly<Record<string, { readonly timeout?: string }>>
  readonly custom: { readonly attachedSeconds: number; readonly visibilitySeconds: Record<string, number> }
}

const text = readFileSync(new URL('../serverless.yml', import.meta.url), 'utf8').replace(
  /!(GetAtt|Ref|Join)/g,
  '',
)
const { functions, custom } = parse(text) as Service

describe('the functions that run phases', () => {
  for (const phase of ['install', 'join', 'leave']) {
    it(`${phase} lasts as long as a script may that ends with its connection`, () => {
      assert.equal(functions[phase]?.timeout, '${self:custom.attachedSeconds}')
      const begun = { clock: { nowMs: () => 10_000, wait: () => Promise.resolve() } }
      assert.ok(attachedUntilMs(custom.attachedSeconds * 1000, begun) >= longestAttachedMs)
    })

    it(`${phase} is not told the same twice while it lasts`, () => {
      assert.equal(custom.visibilitySeconds[phase], 6 * custom.attachedSeconds)
    })
  }
})
