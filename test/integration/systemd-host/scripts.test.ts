import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../support/systemd-host/', import.meta.url))
const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0

describe('the scripts that make and run booted hosts, and their stand-ins', () => {
  it('are clean by shellcheck', { skip: hasShellcheck ? false : 'shellcheck is not on this machine' }, () => {
    const files = globSync(`${folder}{*.sh,stand-ins/*}`).filter((file) => !file.endsWith('.ts'))
    assert.equal(files.length, 6)
    const { status, stdout } = spawnSync('shellcheck', ['--format=gcc', ...files], { encoding: 'utf8' })
    assert.deepEqual([status, stdout], [0, ''])
  })
})
