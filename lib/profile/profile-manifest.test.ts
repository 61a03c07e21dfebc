import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { assembleManifest, manifestText, type Scripts } from './profile-manifest.ts'

const described = { apiVersion: 'a', kind: 'SSHJoinProfile', metadata: { name: 'try' } }

function textOf(scripts: Scripts): string {
  return manifestText(assembleManifest(described, { version: '1' }, scripts))
}

describe('manifestText', () => {
  it('keeps what the description says, and puts the scripts last', () => {
    assert.equal(
      textOf({ install: 'set -e\ntrue\n', leave: 'a  \n\n  b\tc\n\n\n' }),
      [
        '# Made by "kpssh profile build": change the files of the profile, not this.',
        'apiVersion: a',
        'kind: SSHJoinProfile',
        'metadata:',
        '  name: try',
        'spec:',
        '  version: "1"',
        '  scripts:',
        '    install: |',
        '      set -e',
        '      true',
        '    leave: |+',
        '      a  ',
        '',
        '        b\tc',
        '',
        '',
        '',
      ].join('\n'),
    )
  })
  it('holds every script byte for byte, or says which one it cannot hold', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '  a',
        '\ta',
        'a: b',
        '# a',
        '- a',
        '|',
        '---',
        '...',
        '%',
        "'",
        '"',
        '{{ .a }}',
        'é🦀',
      ),
      fc.string(),
    )
    const script = fc
      .tuple(fc.array(line), fc.constantFrom('', '\n', '\n\n'))
      .map(([lines, end]) => lines.join('\n') + end)
    let kept = 0
    fc.assert(
      fc.property(script, script, (install, join) => {
        let text: string
        try {
          text = textOf({ install, join })
        } catch (error) {
          assert.equal((error as { reason?: string }).reason, 'ScriptNotExact')
          return
        }
        kept += 1
        assert.deepEqual(parse(text), { ...described, spec: { version: '1', scripts: { install, join } } })
      }),
    )
    assert.ok(kept > 10)
  })
  it('SSH-23: refuses what YAML would change', () => {
    for (const script of ['a\r\nb\n', 'a\rb\n', '\ufeffa\n', 'a\u0085b\n', 'a\u2028b\n', 'a\x1bb\n']) {
      assert.throws(() => textOf({ install: 'true\n', join: script }), {
        reason: 'ScriptNotExact',
        message:
          'Cannot put join.sh into a manifest byte for byte: YAML does not keep what it holds, save it as plain text with LF line ends',
      })
    }
  })
})
