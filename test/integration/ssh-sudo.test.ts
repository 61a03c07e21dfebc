// The way to root for a user who is not. What sudo says is quoted from sudo 1.9.13; a stub says it, since the machine's own
// sudo and its configuration are not a test's to change.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aBashServer } from '../support/ssh-server/bash-server.ts'
import { aRun, someRuns } from '../support/sshd/runs-on.ts'

const passes = 'shift; exec "$@"'

describe('runs as a user who needs sudo', { concurrency: 4 }, () => {
  it('ref 11, SSH-25: takes every step by one way to root, which never asks', async (test) => {
    const host = await aBashServer(test, { sudo: passes })
    const runs = someRuns()
    const run = aRun('echo fine')
    await runs.probe(host.target, { agentUnits: ['kubelet'] })
    const { report } = await runs.start(host.target, run, { waitMs: 5000 })
    await runs.attach(host.target, run, { waitMs: 5000 })
    assert.equal(report.kind === 'finished' && report.outcome.stdoutTail, 'fine\n')
    assert.deepEqual(host.commands, ['sudo -n bash -s', 'sudo -n bash -s', 'sudo -n bash -s'])
  })

  it('SSH-25: does not mind a lecture, nor a log that cannot be written, on stderr', async (test) => {
    const lecture =
      'We trust you have received the usual lecture\\n\\n    #1) Respect the privacy of others.\\n'
    const log = 'sudo: unable to write log file: /var/log/sudo.log: No space left on device'
    const host = await aBashServer(test, { sudo: `printf '${lecture}' >&2; echo '${log}' >&2; ${passes}` })
    const { report } = await someRuns().start(host.target, aRun('echo fine'), { waitMs: 5000 })
    assert.equal(report.kind === 'finished' && report.outcome.stdoutTail, 'fine\n')
    assert.equal(report.kind === 'finished' && report.outcome.stderrTail, '')
  })

  const refusals = [
    ['SSH-24', 'SudoNeedsTty', 'sudo: sorry, you must have a tty to run sudo', '"Defaults:ops !requiretty"'],
    ['SSH-25', 'SudoNeedsPassword', 'sudo: a password is required', '"ops ALL=(ALL) NOPASSWD: ALL"'],
    ['SSH-25', 'SudoDenied', 'ops is not in the sudoers file.', '"ops ALL=(ALL) NOPASSWD: ALL"'],
    [
      'SSH-25',
      'SudoDenied',
      'Sorry, user ops is not allowed to execute "/bin/bash -s" as root on h1.',
      'NOPASSWD',
    ],
    [
      'SSH-25',
      'SudoMisconfigured',
      '/etc/sudoers.d/ops:1:14: syntax error\nsudo: a password is required',
      'visudo -c',
    ],
    ['SSH-25', 'SudoMisconfigured', 'sudo: /etc/sudoers.d/ops is world writable', 'visudo -c'],
    ['SSH-25', 'SudoCannotLog', 'sudo: error writing the log: No space left on device', 'free space'],
    ['SSH-25', 'SudoFailed', 'sudo: ein Passwort ist notwendig', '"sudo -n bash -s"'],
  ] as const
  for (const [id, reason, said, advice] of refusals) {
    it(`${id}: says ${reason}, and what to change, when sudo says: ${said.split('\n')[0]!}`, async (test) => {
      const host = await aBashServer(test, { sudo: `echo '${said}' >&2; exit 1` })
      const runs = someRuns()
      const probe = (await runs.probe(host.target, { agentUnits: ['kubelet'] })).report
      const start = (await runs.start(host.target, aRun('touch "$KPSSH_ROOT/ran"'), { waitMs: 5000 })).report
      for (const report of [probe, start]) {
        assert.equal(report.kind, 'unable')
        assert.equal(report.reason, reason)
        assert.ok(report.message.includes(advice), report.message)
      }
    })
  }

  it('SSH-25: says SudoMissing where there is none', async (test) => {
    const host = await aBashServer(test)
    const { report } = await someRuns().start(host.target, aRun('true'), { waitMs: 5000 })
    assert.equal(report.kind === 'unable' && report.reason, 'SudoMissing')
  })
})
