import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { commands } from '../lib/cli/commands.ts'

const project = new URL('..', import.meta.url).pathname
const files = globSync(['{lib,functions,infra,profiles,docs}/**/*.{ts,md,sh,yml,yaml}', 'README.md'], {
  cwd: project,
})

describe('what messages and pages tell people to run', () => {
  it('exists', () => {
    const known = new Set(commands.map(({ noun, verb }) => `${noun} ${verb}`))
    const nouns = [...new Set(commands.map(({ noun }) => noun))].join('|')
    const unknown = files
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) => {
        const text = readFileSync(`${project}${file}`, 'utf8')
        return [...text.matchAll(new RegExp(`\\bkpssh (${nouns}) ([a-z]+)`, 'g'))]
          .map(([, noun, verb]) => `${noun} ${verb}`)
          .filter((command) => !known.has(command))
          .map((command) => `${file}: kpssh ${command}`)
      })
    assert.deepEqual(unknown, [])
  })
})
