import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

describe('functions', () => {
  it('are these six, as serverless.yml declares them', () => {
    assert.deepEqual(folders.toSorted(), ['guard', 'install', 'join', 'leave', 'probe', 'reconcile'])
    const declared = readFileSync(join(import.meta.dirname, '../serverless.yml'), 'utf8')
    for (const name of folders)
      assert.ok(declared.includes(`handler: functions/${name}/handler.handler`), name)
  })

  it('have doors that only open: at most twenty lines and one export', () => {
    for (const name of folders) {
      const text = readFileSync(join(import.meta.dirname, name, 'handler.ts'), 'utf8')
      assert.ok(text.trimEnd().split('\n').length <= 20, name)
      assert.deepEqual(text.match(/^export .*$/gm), ['export const handler = compose()'])
    }
  })
})
