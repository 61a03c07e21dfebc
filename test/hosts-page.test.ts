import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const page = readFileSync(new URL('../docs/hosts.md', import.meta.url), 'utf8')
const programs = new URL('../lib/execution/host-program/', import.meta.url)

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '')
}

describe('docs/hosts.md', () => {
  it('names every reason for which a host is unable', () => {
    const shell = readdirSync(programs)
      .filter((name) => name.endsWith('.sh'))
      .map((name) => readFileSync(new URL(name, programs), 'utf8'))
      .join('\n')
    const login = readFileSync(new URL('../lib/execution/not-started.ts', import.meta.url), 'utf8')
    const reasons = [
      ...matches(shell, /\bunable ([A-Z][a-z]\w+)/g),
      ...matches(login, /'((?:Sudo|Bash|Login|Shell)[A-Z]\w+)'/g),
    ]
    assert.ok(reasons.length > 10)
    for (const reason of reasons) assert.ok(page.includes(`\`${reason}\``), reason)
  })

  it('names no reason that nobody gives', () => {
    const sources = [
      'not-started.ts',
      'probe-answer.ts',
      'host-program/source.ts',
      '../adapters/ssh/translate-error.ts',
    ]
    const all = sources
      .map((name) => readFileSync(new URL(`../lib/execution/${name}`, import.meta.url), 'utf8'))
      .join('\n')
    const words = matches(page, /`((?:[A-Z][a-z]+){2,})`/g).filter((word) => word !== 'RuntimeMaxSec')
    assert.ok(words.length > 10)
    for (const word of words) assert.ok(all.includes(word), word)
  })
})
