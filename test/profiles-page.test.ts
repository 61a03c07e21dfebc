import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { parseDocument } from 'yaml'
import { SSHJoinProfileManifest } from '../lib/api/ssh-join-profile.ts'
import { buildEnvironment } from '../lib/profile/environment.ts'
import { JoinContext } from '../lib/profile/join-context.ts'
import { proofReasons } from '../lib/proof/proof-reasons.ts'
import { parseProofSettings, ProofSettings } from '../lib/proof/proof-settings.ts'
import { timeoutMs } from '../lib/profile/profile.ts'
import { scriptPhases, type ScriptPhase } from '../lib/profile/script-phase.ts'
import { renderRules } from './support/render-rules.ts'

const page = await readFile(new URL('../docs/profiles.md', import.meta.url), 'utf8')

/** The cells of the rows of the table that begins with this heading. */
function table(heading: string): readonly (readonly string[])[] {
  const lines = page.slice(page.indexOf(`| ${heading} |`)).split('\n')
  const rows = lines.slice(
    2,
    lines.findIndex((line) => !line.startsWith('|')),
  )
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function fenced(language: string): string {
  return new RegExp(`\`\`\`${language}\n([^\`]*)\`\`\``).exec(page)?.[1] ?? assert.fail(language)
}

describe('docs/profiles.md', () => {
  it('explains every rule of lint, and no other', () => {
    const [shown] = /\| rule \| severity \|[^\n]*\n(?:\|[^\n]*\n)+/.exec(page) ?? []
    assert.equal(shown?.trim(), renderRules(), 'run: node test/support/write-rule-table.ts')
  })
  it('shows a profile.yaml that is one', () => {
    const described = parseDocument(fenced('yaml')).toJS() as { readonly spec: object }
    const scripts = { install: 'i', join: 'j', leave: 'l' }
    const parsed = SSHJoinProfileManifest.safeParse({ ...described, spec: { ...described.spec, scripts } })
    assert.ok(parsed.success, String(parsed.error))
  })
  it('shows a context that is one', () => {
    assert.ok(JoinContext.safeParse(JSON.parse(fenced('json'))).success)
  })
  it('names everything that a proof may find', () => {
    const named = table('proof').flatMap(([, , names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    assert.deepEqual(named.sort(), Object.keys(proofReasons).sort())
  })
  it('explains every key of a proof.yaml, and shows one', () => {
    const keys = table('key').map(([key = '']) => key.replaceAll('`', ''))
    assert.deepEqual(keys.sort(), Object.keys(ProofSettings.shape).sort())
    const [, , shown = ''] = page.split('```yaml\n')
    const { family, context } = parseProofSettings(
      'proof.yaml',
      parseDocument(shown.split('```')[0] ?? '').toJS(),
    )
    assert.deepEqual([family, context.Vars], [['debian', 'redhat'], { k8sMinor: '1.36' }])
  })
  it('says how long each phase may take', () => {
    const profile = { metadata: { name: 'x' }, spec: { scripts: {} } }
    const minutes = new Map(
      table('phase').map(([phase = '', , time = '']) => [phase.replaceAll('`', ''), time]),
    )
    assert.deepEqual(
      [...minutes],
      scriptPhases.map((phase) => [phase, `${timeoutMs(profile, phase) / 60_000} min`]),
    )
  })
  it('says which variables are set, empty or absent in each phase', () => {
    const context = JoinContext.parse({
      ...Object.fromEntries(Object.keys(JoinContext.shape).map((key) => [key, 'x'] as const)),
      Vars: { k: 'x' },
      Secrets: { k: 'x' },
    })
    const state = (phase: ScriptPhase, name: string) => {
      const value = buildEnvironment(phase, context)[name]
      return value === undefined ? 'absent' : value === '' ? 'empty' : 'set'
    }
    const explained = new Map(
      table('variable').flatMap(([names = '', , ...states]) =>
        [...names.matchAll(/`(KPSSH_\w+)(?:<\w+>)?`/g)].map(([, name = '']) => [name, states] as const),
      ),
    )
    const names = Object.keys(buildEnvironment('join', context))
    const expected = names.map((name) => [
      name.replace(/(?<=^KPSSH_(?:VAR|SECRET)_).*/, ''),
      scriptPhases.map((phase) => state(phase, name)),
    ])
    assert.deepEqual(new Map(expected as [string, string[]][]), explained)
  })
})
