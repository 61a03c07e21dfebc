import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { renderHostProgram } from './render.ts'

const folder = new URL('../../lib/execution/host-program/', import.meta.url)
const fileNames = readdirSync(folder)
  .filter((name) => name.endsWith('.sh'))
  .sort()
const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0

describe('the program that runs on hosts', () => {
  it('is in the bundle as it is in its shell files: run "node infra/host-program/generate.ts" after a change', () => {
    const sources = new Map(fileNames.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]))
    assert.equal(readFileSync(new URL('source.ts', folder), 'utf8'), renderHostProgram(sources))
  })

  it('is clean to shellcheck', { skip: hasShellcheck ? false : 'needs shellcheck' }, () => {
    // The parts share their variables, and each is looked at alone: SC2034 and SC2154 cannot know that.
    const paths = fileNames.map((name) => fileURLToPath(new URL(name, folder)))
    const { stdout, status } = spawnSync('shellcheck', ['-s', 'bash', '-e', 'SC2034,SC2154', ...paths])
    assert.equal(status, 0, stdout.toString())
  })
})

describe('renderHostProgram', () => {
  it('drops comments and indentation and escapes what a template would read', () => {
    const source = '# why\nf() {\n  # more\n  echo "${x}" `y` \\\n    z\n}\n'
    const rendered = renderHostProgram(new Map([['part-a.sh', source]]))
    assert.match(rendered, /^\/\/ Generated/)
    assert.ok(
      rendered.endsWith('export const partAPart = `f() {\necho "\\${x}" \\`y\\` \\\\\nz\n}\n`\n'),
      rendered,
    )
  })
})
