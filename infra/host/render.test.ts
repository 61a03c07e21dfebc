import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readShimSources } from './read-sources.ts'
import { renderShim } from './render.ts'

const file = fileURLToPath(new URL('kpssh-shim', import.meta.url))
const start = fileURLToPath(new URL('parts/start.sh', import.meta.url))
const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0

describe('the shim', () => {
  it('is what its parts make: run "node infra/host/generate.ts" after a change', () => {
    assert.equal(readFileSync(file, 'utf8'), renderShim(readShimSources()))
    assert.equal(statSync(file).mode & 0o111, 0o111)
  })

  it(
    'is clean to shellcheck, and begins as any sh reads it',
    {
      skip: hasShellcheck ? false : 'needs shellcheck',
    },
    () => {
      // What a variable or a function of another part is for, shellcheck cannot see: SC2034, SC2154 and SC2317.
      const whole = spawnSync('shellcheck', ['-s', 'bash', '-e', 'SC2034,SC2154,SC2317', file])
      assert.equal(whole.status, 0, whole.stdout.toString())
      const head = spawnSync('shellcheck', ['-s', 'sh', start])
      assert.equal(head.status, 0, head.stdout.toString())
    },
  )

  it('sends no code of its own through the network: it holds the supervisor as other hosts are sent it', () => {
    const supervisor = /<<'END_OF_SUPERVISOR'\n(.*)\nEND_OF_SUPERVISOR\n/s.exec(readFileSync(file, 'utf8'))
    const text = supervisor?.[1] ?? ''
    assert.ok(text.includes('\nsupervise() {\n'))
    assert.equal(spawnSync('bash', ['-n'], { input: text }).status, 0)
  })
})

describe('renderShim', () => {
  it('does not make a shim of half its parts', () => {
    const { parts } = readShimSources()
    assert.throws(() => renderShim({ parts, programs: new Map() }), TypeError)
  })
})
