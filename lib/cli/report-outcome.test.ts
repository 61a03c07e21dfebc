import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeConsole } from '../../test/support/fakes/console.ts'
import { exitCodeOf } from '../errors/disposition.ts'
import type { RunOutcome } from '../execution/ports.ts'
import { reportOutcome } from './report-outcome.ts'

function ended(outcome: Partial<RunOutcome>): RunOutcome {
  return { kind: 'exited', stdoutTail: '', stderrTail: '', durationMs: 1_234, ...outcome }
}

function failure(outcome: Partial<RunOutcome>): { readonly message: string; readonly code: number } {
  try {
    reportOutcome(fakeConsole(), 'join', ended(outcome))
  } catch (error) {
    assert.ok(error instanceof Error)
    return { message: error.message, code: exitCodeOf(error) }
  }
  throw new Error('it succeeded')
}

describe('reportOutcome', () => {
  it('says that a script succeeded', () => {
    const console = fakeConsole()
    reportOutcome(console, 'join', ended({ exitCode: 0 }))
    assert.equal(console.stderr, 'join succeeded after 1.2 s\n')
  })
  it('SSH-34: names phase, exit code, line and the last lines of a failure', () => {
    assert.deepEqual(failure({ exitCode: 3, failedLine: 7, stderrTail: 'a\nb\n', stdoutTail: 'x' }), {
      message:
        'Cannot finish join: the script exited with code 3 in line 7 after 1.2 s, its last lines are:\na\nb',
      code: 70,
    })
    assert.match(failure({ exitCode: 1, stdoutTail: 'only here' }).message, /its last lines are:\nonly here$/)
    assert.match(failure({ exitCode: 1 }).message, /it printed nothing$/)
  })
  it('shows control sequences in the message instead of sending them once more', () => {
    assert.match(failure({ exitCode: 1, stderrTail: '\u001b[2Jgone\r\n' }).message, /:\n\\x1b\[2Jgone$/)
  })
  it('takes nothing but exit code 0 for success', () => {
    assert.match(failure({}).message, /exited with code unknown/)
    assert.match(failure({ kind: 'timed-out' }).message, /its deadline ended it/)
    assert.match(failure({ kind: 'killed' }).message, /it was killed/)
    assert.match(failure({ kind: 'lost' }).message, /a reboot of the host cut it off/)
  })
  it('keeps the last twenty lines', () => {
    const many = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n')
    assert.match(failure({ exitCode: 1, stderrTail: many }).message, /:\nline 30\n/)
  })
})
