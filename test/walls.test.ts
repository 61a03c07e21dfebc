import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { z } from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))

const Report = z.object({
  summary: z.object({
    violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })),
  }),
})

/** What the walls say of a tree, as `rule: file`. */
async function violationsIn(folder: string): Promise<readonly string[]> {
  const output = await new Promise<string>((resolve) => {
    const args = [
      'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
      '--config',
      `${root}.dependency-cruiser.mjs`,
      '--output-type',
      'json',
      'lib',
    ].map((each, index) => (index === 0 ? `${root}${each}` : each))
    // The exit code counts violations; the report is what is read.
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 64 << 20 }, (_error, stdout) =>
      resolve(stdout),
    )
  })
  const { violations } = Report.parse(JSON.parse(output)).summary
  return violations.map(({ from, rule }) => `${rule.name}: ${from}`).sort()
}

describe('the walls', () => {
  it('report every kind of planted violation', async () => {
    assert.deepEqual(await violationsIn(`${root}test/fixtures/walls`), [
      'adapters-stay-apart: lib/adapters/sqs/sender.ts',
      'no-unknown-room: lib/phase/has-helpers.ts',
      'room-api: lib/api/reaches-up.ts',
      'room-hosts: lib/hosts/reaches-an-adapter.ts',
      'room-phase: lib/phase/has-helpers.ts',
      'rooms-are-pure: lib/hosts/reads-a-file.ts',
    ])
  })
})
