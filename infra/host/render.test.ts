import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readShimSources } from './read-sources.ts'
import { renderShim, supervisorNames } from './render.ts'

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

  it('keeps beside a run the very text that other hosts are sent', () => {
    const { parts, programs } = readShimSources()
    const shim = readFileSync(file, 'utf8')
    const assignment = shim.slice(
      shim.indexOf("kp_supervisor='"),
      shim.indexOf(parts.get('envelope') ?? 'none'),
    )
    const { stdout } = spawnSync('bash', ['-s'], { input: `${assignment}\nprintf %s "$kp_supervisor"\n` })
    assert.equal(stdout.toString(), supervisorNames.map((name) => programs.get(name)).join('\n'))
  })
})

describe('renderShim', () => {
  it('does not make a shim of half its parts', () => {
    const { parts } = readShimSources()
    assert.throws(() => renderShim({ parts, programs: new Map() }), TypeError)
  })
})
