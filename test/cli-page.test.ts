import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { commands } from '../lib/cli/commands.ts'
import { commandHelp } from '../lib/cli/help.ts'
import { exitCodeOf } from '../lib/errors/disposition.ts'
import { PhaseError } from '../lib/errors/phase-error.ts'
import { SpecError } from '../lib/errors/spec-error.ts'

const page = readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8')

describe('docs/cli.md', () => {
  it('holds the help text of every command, in the order of the help, and no other', () => {
    const blocks = [...page.matchAll(/^```text\n([^`]*)^```$/gm)].map(([, text]) => text)
    assert.deepEqual(blocks, commands.map(commandHelp))
  })
  it('names exit codes as they are', () => {
    assert.match(page, new RegExp(`^\\| ${exitCodeOf(new SpecError('x'))} \\| an object, profile`, 'm'))
    assert.match(page, new RegExp(`^\\| ${exitCodeOf(new PhaseError('x'))} \\| a script ended badly`, 'm'))
  })
  it('has help that fits into 80 columns', () => {
    for (const line of commands.map(commandHelp).join('\n').split('\n')) assert.ok(line.length <= 80, line)
  })
})
