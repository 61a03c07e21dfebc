import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { transitionTable } from '../lib/hosts/transitions.ts'
import { renderDiagram } from './support/render-transitions.ts'

const page = await readFile(new URL('../docs/claims.md', import.meta.url), 'utf8')

describe('docs/claims.md', () => {
  it('draws exactly the transitions of the table', () => {
    const drawn = /```mermaid\n([^`]*)\n```/.exec(page)?.[1]
    assert.equal(drawn, renderDiagram(), 'run: node test/support/write-claims-diagram.ts')
  })

  it('explains every event, and no other', () => {
    const [, rows = ''] = /\| trigger \| from \|[^\n]*\n\|[-|]*\|\n((?:\|[^\n]*\n)+)/.exec(page) ?? []
    const explained = rows
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z-]+)`/g)].map((match) => match[1]))
    assert.deepEqual(explained.sort(), Object.keys(transitionTable).sort())
  })
})
