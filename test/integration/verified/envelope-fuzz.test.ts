// Hostile bytes against the shim itself. Whatever it is sent it ends with a documented code, quickly, says something on stderr
// that is only text, runs nothing and leaves nothing behind.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { startEnvelope } from '../../../lib/execution/envelope-v2.ts'
import { aRun } from '../../support/sshd/runs-on.ts'
import { aSigner, signedRun } from '../../support/sshd/signer.ts'
import { manifestSigner, shimFile } from '../../support/sshd/verified-host.ts'

const folder = mkdtempSync(join(tmpdir(), 'kpssh-shim-'))
after(() => rmSync(folder, { recursive: true, force: true }))
for (const part of ['run', 'var/lib', 'etc/kpssh', 'tmp']) mkdirSync(join(folder, part), { recursive: true })
const signer = aSigner({ after })
writeFileSync(join(folder, 'etc/kpssh/allowed_signers'), `${manifestSigner(signer)}\n`)

const run = signedRun(signer, aRun('touch "$KPSSH_ROOT/ran"\n', { environment: { KPSSH_NODE_NAME: 'n1' } }))
const manifest = run.signed?.manifest ?? { manifest: '', signature: '' }
const whole = Buffer.from(
  startEnvelope('kpssh-0123456789abcdef0123456789abcdef', run, { manifest, waitMs: 9000 }),
).toString()
const lines = whole.split('\n').slice(0, -1)

interface Said {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function send(input: string | Uint8Array): Promise<Said> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    KPSSH_ROOT: folder,
    TMPDIR: join(folder, 'tmp'),
    KPSSH_SHIM_SUDO: '0',
  }
  return new Promise((resolve) => {
    const child = execFile(shimFile, { env, timeout: 20_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, stdout, stderr })
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}

async function requireRefused(input: string | Uint8Array, codes: readonly number[]): Promise<void> {
  const { code, stdout, stderr } = await send(input)
  const shown = JSON.stringify(Buffer.from(input).toString('latin1').slice(0, 300))
  assert.ok(codes.includes(code), `${String(code)} ${stderr} for ${shown}`)
  assert.match(stderr, /^(kpssh-shim: [ -~]+\n)+$/, shown)
  assert.equal(stdout, '')
  assert.deepEqual(
    [readdirSync(folder).sort(), readdirSync(join(folder, 'var/lib')), readdirSync(join(folder, 'tmp'))],
    [['etc', 'run', 'tmp', 'var'], [], []],
  )
}

function withLine(name: string, line: string): string {
  return whole.replace(new RegExp(`^${name}: .*$`, 'm'), () => line)
}

const mega = 'A'.repeat(1024 * 1024)
const corpus: readonly [string, string | Uint8Array, number][] = [
  ['nothing', '', 4],
  ['line breaks alone', '\n'.repeat(2000), 4],
  ['a shell command', 'id\n', 4],
  ['a megabyte of one letter', mega, 4],
  ['more than a megabyte', `${whole}${mega}`, 4],
  ['a megabyte of short lines', 'a: b\n'.repeat(200_000), 4],
  ['random bytes', Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919 + 13) % 256)), 4],
  ['another version', whole.replace('kpssh-envelope: 2', 'kpssh-envelope: 3'), 4],
  ['two versions', `kpssh-envelope: 1\n${whole}`, 4],
  ['a version with spaces', whole.replace('kpssh-envelope: 2', 'kpssh-envelope: 2 '), 4],
  ['CRLF', whole.replaceAll('\n', '\r\n'), 4],
  ['a BOM', `\ufeff${whole}`, 4],
  ['a NUL byte between lines', whole.replace('\nrun: ', '\n\0run: '), 4],
  ['a NUL byte in a value', whole.replace('phase: join', 'phase: jo\0in'), 4],
  ['a blank line', whole.replace('\nrun: ', '\n\nrun: '), 4],
  ['an unknown line', `hello: world\n${whole}`, 4],
  ['a header that names a variable', `kp_script: id\n${whole}`, 4],
  ['a header that is a pattern', `*: id\n${whole}`, 4],
  ['a header that is an expression', `a[$(touch ${folder}/ran)]: id\n${whole}`, 4],
  ['a header in capitals', `Run: x\n${whole}`, 4],
  ['a header without its space', whole.replace('fence: ', 'fence:'), 4],
  ['what follows the end', `${whole}run: x\n`, 4],
  ['no end', whole.replace('end:\n', ''), 4],
  ['a header of another action', whole.replace('end:\n', 'offset: 0\nend:\n'), 4],
  ['no action', whole.replace(/^action: .*\n/m, ''), 4],
  ['an unknown action', withLine('action', 'action: adopt'), 5],
  ['an action with arguments', withLine('action', 'action: start; id'), 5],
  ['an unknown phase', withLine('phase', 'phase: pwn'), 5],
  ['a phase that is a probe', withLine('phase', 'phase: probe'), 5],
  ['a run with a slash', withLine('run', 'run: ../../etc/passwd'), 4],
  ['a run that begins with a dot', withLine('run', 'run: .hidden'), 4],
  ['a marker of somebody', withLine('marker', 'marker: kpssh-xyz'), 4],
  ['a long header', withLine('run', `run: ${'x'.repeat(5000)}`), 4],
  ['a script that is no base64', withLine('script-b64', 'script-b64: !!!!'), 4],
  ['a script of half a group', withLine('script-b64', 'script-b64: AAA'), 4],
  ['a script with padding in its middle', withLine('script-b64', 'script-b64: AA==AAAA'), 4],
  [
    'a script with a NUL byte',
    withLine('script-b64', `script-b64: ${Buffer.from('id\0\n').toString('base64')}`),
    4,
  ],
  ['an empty script', withLine('script-b64', 'script-b64: '), 4],
  ['an empty manifest', withLine('manifest-b64', 'manifest-b64: '), 4],
  ['an empty signature', withLine('manifest-sig-b64', 'manifest-sig-b64: '), 4],
  ['a signature that is no armor', withLine('manifest-sig-b64', 'manifest-sig-b64: aGVsbG8K'), 2],
  [
    'a signature of a megabyte',
    withLine('manifest-sig-b64', `manifest-sig-b64: ${'QUFB'.repeat(225_000)}`),
    2,
  ],
  ['another script', withLine('script-b64', 'script-b64: aWQK'), 6],
  ['another phase', withLine('phase', 'phase: uninstall'), 6],
  ...[
    'BASH_ENV=x',
    'PATH=/tmp',
    'KPSSH_=x',
    'KPSSH_A',
    '=',
    'kpssh_node_name=n1',
    'KPSSH_NODE_NAME =n1',
    ' KPSSH_NODE_NAME=n1',
    'KPSSH_NODE_NAME=a\nKPSSH_NODE_NAME=b',
    'KPSSH_NODE_NAME=a\n\n',
    'KPSSH_NODE_NAME=a\nb',
    'KPSSH_ÑODE=x',
    'KPSSH_A[0]=x',
    'KPSSH_OTHER=x',
    `KPSSH_NODE_NAME=${'x'.repeat(140_000)}`,
  ].map((text): [string, string, number] => [
    `the parameters ${JSON.stringify(text.slice(0, 60))}`,
    withLine('params-b64', `params-b64: ${Buffer.from(`${text}\n`).toString('base64')}`),
    3,
  ]),
  [
    'a parameter with a NUL byte',
    withLine('params-b64', `params-b64: ${Buffer.from('KPSSH_NODE_NAME=a\0b\n').toString('base64')}`),
    4,
  ],
]

describe('the shim, given what nobody should send', () => {
  for (const [what, input, code] of corpus) {
    it(`ends with ${String(code)}: ${what}`, () => requireRefused(input, [code]))
  }

  for (const [at, line] of lines.entries()) {
    const [name = ''] = line.split(':')
    it(`refuses an envelope whose "${name}" is left out, given twice, or cut`, async () => {
      const without = lines.toSpliced(at, 1)
      // A run may have no parameters: its script sees that.
      if (name !== 'params-b64') await requireRefused(`${without.join('\n')}\n`, [4])
      await requireRefused(`${lines.toSpliced(at, 0, line).join('\n')}\n`, [4])
      await requireRefused(lines.slice(0, at).join('\n'), [4])
    })
  }

  it('refuses, with a documented code, whatever one change is made to its bytes', async () => {
    const change = fc.tuple(
      fc.nat(whole.length - 1),
      fc.nat(3),
      fc.constantFrom('', '\n', '\r', '\0', ' ', ':', '$', 'é', '0', '-'),
    )
    const signedFrom = whole.indexOf('manifest-b64')
    await fc.assert(
      fc.asyncProperty(change, async ([at, length, text]) => {
        const bent = whole.slice(0, at) + text + whole.slice(at + length)
        // What is not signed may be changed into something else that is allowed: another fence, another run.
        if (bent === whole || at < signedFrom) return
        if (bent.trimEnd() === whole.trimEnd()) return
        await requireRefused(bent, [2, 3, 4, 6])
      }),
      { numRuns: 80 },
    )
  })

  it('never crashes on lines that are nearly headers', async () => {
    const piece = fc.constantFrom(
      ...[
        'kpssh-envelope',
        'action',
        'marker',
        'phase',
        'run',
        'end',
        ': ',
        ':',
        '2',
        '1',
        'start',
        'probe',
        'attach',
        'join',
        '\n',
        '\n',
        '\0',
        '$(id)',
        '`id`',
        '*',
        '[',
        ']',
        '%s',
        '\\',
        '"',
        "'",
        ' ',
        '-n',
        'é',
      ],
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const { code, stderr } = await send(pieces.join(''))
        // Envelope 1 may be probed by anybody.
        if (code === 0) return
        assert.ok([4, 5].includes(code), `${String(code)} ${stderr}`)
        assert.match(stderr, /^(kpssh-shim: [ -~]+\n)+$/)
      }),
      { numRuns: 60 },
    )
  })

  it('takes the envelope that all of these were made from', async () => {
    const { code, stdout } = await send(whole)
    assert.equal(code, 0)
    assert.match(stdout, / finished exited 0 /)
  })
})
