import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RunOutcome } from '../execution/ports.ts'
import { failureText } from './failure-text.ts'

function outcome(overrides: Partial<RunOutcome>): RunOutcome {
  return { kind: 'exited', exitCode: 2, stdoutTail: '', stderrTail: '', durationMs: 61_400, ...overrides }
}
const plain = (text: string) => text

describe('failureText', () => {
  it('says how it ended and what was said last', () => {
    const text = failureText('join', outcome({ stdoutTail: 'on stdout', stderrTail: 'on stderr\n' }), plain)
    assert.equal(text, 'join exited with code 2 after 61 s: on stderr')
  })

  it('SSH-34: names the line whose command ended the script, where bash can tell', () => {
    const text = failureText('install', outcome({ failedLine: 12 }), plain)
    assert.equal(text, 'install exited with code 2 at line 12 after 61 s, it printed nothing')
  })

  it('SSH-34: falls back to stdout where stderr is empty', () => {
    const text = failureText('leave', outcome({ stdoutTail: 'unit not found\n', stderrTail: '\n' }), plain)
    assert.equal(text, 'leave exited with code 2 after 61 s: unit not found')
  })

  it('keeps the last twenty lines', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
    const text = failureText('install', outcome({ stderrTail: lines.join('\n') }), plain)
    assert.ok(text.includes(': line 11\n'))
    assert.ok(!text.includes('line 10\n'))
    assert.ok(text.endsWith('line 30'))
  })

  it('keeps at most 1 KiB, and says that something is missing', () => {
    const text = failureText('install', outcome({ stderrTail: 'é'.repeat(4000) }), plain)
    assert.match(text, /after 61 s: …é+$/)
    assert.ok(Buffer.byteLength(text) < 1100)
  })

  it('SSH-36: redacts before it cuts, so that no half of a secret is left', () => {
    const secret = 'a-secret-that-stands-across-the-cut'
    const stderrTail = `${secret}${'x'.repeat(1024 - 10)}`
    const text = failureText('join', outcome({ stderrTail }), (all) => all.replaceAll(secret, '[REDACTED]'))
    assert.ok(!text.includes('the-cut'))
  })

  it('shows control sequences instead of passing them on', () => {
    const text = failureText(
      'join',
      outcome({ stderrTail: '\u001b[2J\u001b]0;owned\u0007\tgone\nlast\r' }),
      plain,
    )
    assert.equal(text, 'join exited with code 2 after 61 s: \\x1b[2J\\x1b]0;owned\\x07\tgone\nlast')
  })

  it('tells the ends apart that are not an exit', () => {
    assert.match(
      failureText('join', outcome({ kind: 'timed-out' }), plain),
      /^join was ended by its deadline/,
    )
    assert.match(failureText('join', outcome({ kind: 'killed' }), plain), /^join was killed/)
    assert.match(failureText('join', outcome({ kind: 'lost' }), plain), /^join was cut off by a reboot/)
  })
})
