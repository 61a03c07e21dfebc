// The program that runs on hosts, given to a real bash on this machine with a sandbox for its files.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { outputPart } from '../../lib/execution/host-program/source.ts'
import { startRequest } from '../../lib/execution/host-request.ts'
import { shellQuote } from '../../lib/profile/shell-quote.ts'
import { redactionPatterns } from '../../lib/execution/redaction-patterns.ts'
import { redactionProgram } from '../../lib/execution/redaction-program.ts'
import { aRun } from '../support/sshd/runs-on.ts'

const folder = mkdtempSync(join(tmpdir(), 'kpssh-host-program-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function redactByBash(secrets: readonly string[], lines: readonly string[]): string[] {
  const script = [
    'LC_ALL=C',
    outputPart,
    redactionProgram(secrets),
    ...lines.map((line) => `line=${shellQuote(line)}; redact; printf '%s\\n' "$line"`),
  ].join('\n')
  const { stdout, stderr, status } = spawnSync('bash', ['-s'], { input: script })
  assert.equal(status, 0, stderr.toString())
  return stdout.toString().split('\n').slice(0, -1)
}

/** The obvious way. */
function redactByModel(secrets: readonly string[], line: string): string {
  const { anywhere, words } = redactionPatterns(secrets)
  const rest = anywhere.reduce((text, form) => text.split(form).join('[REDACTED]'), line)
  const escaped = (form: string) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return words.reduce(
    (text, form) =>
      text.replace(new RegExp(`(?<![A-Za-z0-9_])${escaped(form)}(?![A-Za-z0-9_])`, 'g'), () => '[REDACTED]'),
    rest,
  )
}

const awkward = fc.string({
  unit: fc.constantFrom(...'ab1_ \\\'"`$&*?[]{}()!~#%/|^.-+@é☃'.split(/(?:)/u)),
  minLength: 1,
  maxLength: 14,
})
const oneLine = awkward.filter((text) => !text.includes('\n'))

describe('redaction on the host', () => {
  it('SSH-36: bash hides what the obvious way hides, whatever the characters', () => {
    fc.assert(
      fc.property(
        fc.array(oneLine, { minLength: 1, maxLength: 3 }),
        fc.array(fc.array(oneLine, { maxLength: 3 })),
        (secrets, rest) => {
          const lines = rest
            .map((parts, index) => parts.join(secrets[index % secrets.length] ?? ''))
            .concat(secrets)
          assert.deepEqual(
            redactByBash(secrets, lines),
            lines.map((line) => redactByModel(secrets, line)),
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  it('SSH-36: no secret of eight bytes or more is left, however it is printed', () => {
    const secret = fc
      .string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
      .filter((text) => !/[\0\r\n]/.test(text) && text.trim() !== '')
    fc.assert(
      fc.property(secret, (value) => {
        const forms = [value, shellQuote(value), encodeURIComponent(value), JSON.stringify(value)]
        const encoded = [Buffer.from(value).toString('base64'), Buffer.from(value).toString('base64url')]
        const lines = [...forms, ...encoded].map((form) => `before:${form}:after`)
        const shown = redactByBash([value], lines)
        for (const [index, line] of lines.entries()) assert.notEqual(shown[index], line)
        assert.ok(!shown.join('\n').includes(value))
      }),
      { numRuns: 40 },
    )
  })
})

describe('a request that is cut short', () => {
  it('starts nothing, wherever it was cut', () => {
    let count = 0
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.9999, noNaN: true }), (part) => {
        const root = join(folder, `cut-${String(count++)}`)
        for (const path of ['run', 'var/lib']) mkdirSync(join(root, path), { recursive: true })
        const request = aRun('touch "$KPSSH_ROOT/ran"', {
          environment: { KPSSH_A: 'x'.repeat(500) },
          secrets: ['x'.repeat(500)],
        })
        const whole = startRequest('kpssh-0123456789abcdef0123456789abcdef', request, 1000)
        const env = { ...process.env, KPSSH_ROOT: root }
        const { stdout } = spawnSync('bash', ['-s'], {
          input: whole.slice(0, Math.floor(whole.length * part)),
          env,
        })
        assert.ok(!stdout.toString().includes(' started'), stdout.toString())
        assert.equal(existsSync(join(root, 'var/lib/kpssh/started')), false)
        assert.deepEqual(readdirSync(root), ['run', 'var'])
      }),
      { numRuns: 60 },
    )
  })
})
