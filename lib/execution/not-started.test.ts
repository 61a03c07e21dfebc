import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { whyNotStarted } from './not-started.ts'
import type { RemoteResult } from './ports.ts'

function why(said: Partial<RemoteResult>): { readonly reason: string; readonly message: string } {
  const code = said.signal === undefined ? { exitCode: 1 } : {}
  const result = {
    command: 'sudo -n bash -s',
    ...code,
    stdout: '',
    stderr: '',
    truncated: false,
    durationMs: 1,
  }
  return whyNotStarted('h1', 'ops', { ...result, reason: 'exited', hostKeys: [], ...said })
}

describe('whyNotStarted', () => {
  it('SSH-25: finds the reason behind any noise of the login', () => {
    const stderr = `${'Welcome to h1\n'.repeat(5000)}sudo: a password is required\n`
    assert.equal(why({ stderr }).reason, 'SudoNeedsPassword')
    assert.match(why({ stderr }).message, /it ended with 1 and said "sudo: a password is required"/)
  })

  it('knows a shim that answers where none is expected', () => {
    const { reason, message } = why({ exitCode: 4, stderr: 'kpssh-shim: no envelope\n' })
    assert.equal(reason, 'LoginForced')
    assert.match(message, /set execMode: Verified in its SSHHost, add --verified to a phase by hand$/)
    const command = '/opt/kpssh/kpssh-shim'
    assert.equal(why({ command, exitCode: 77, stderr: 'kpssh-shim: new\n' }).reason, 'ShellUnusable')
  })

  it('looks no further back than such a line can stand, so that no text keeps it busy', () => {
    const stderr = `sudo: a password is required\n${'sudo: '.repeat(20_000)}`
    assert.equal(why({ stderr }).reason, 'SudoFailed')
  })

  it('says of itself only what a terminal may show', () => {
    const signal = `\u001b[2J${'x'.repeat(10_000)}`
    const { message } = why({ signal, stdout: '\u001b]0;owned\u0007' })
    assert.doesNotMatch(message, /\p{Cc}/u)
    assert.ok(message.length < 800)
  })
})
