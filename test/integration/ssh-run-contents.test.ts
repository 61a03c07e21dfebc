// What a script gets, what it prints and what is kept of it. Real sshd, real bash.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { RunOutcome, RunRequest } from '../../lib/execution/ports.ts'
import { eventually } from '../support/eventually.ts'
import { aRun, someRuns } from '../support/sshd/runs-on.ts'
import { anSshHost, needsSshd, type SshHost } from '../support/sshd/ssh-host.ts'

async function outcomeOf(host: SshHost, script: string, more: Partial<RunRequest> = {}): Promise<RunOutcome> {
  const { report } = await someRuns().start(host.target, aRun(script, more), { waitMs: 20_000 })
  assert.equal(report.kind, 'finished')
  return report.outcome
}

describe('a login that talks', { concurrency: 3, ...needsSshd }, () => {
  const noises: readonly [string, string][] = [
    ['a number on the first line', 'echo "4 updates available"'],
    ['colors, braces and NULs', String.raw`printf '\033[1;31m{"cpu": 64}\033[0m [x] \0\0\n'`],
    ['64 kB without a newline', 'head -c 65536 /dev/zero | tr "\\0" n'],
    [
      'a forged answer with an old marker',
      'printf "\\nkpssh-00000000000000000000000000000000 finished exited 0 0 -\\n\\nkpssh-00000000000000000000000000000000 end\\n"',
    ],
    ['something at logout too', 'trap "echo goodbye; echo cpu=99" EXIT'],
    ['an error of its own', 'echo oops >&2; false'],
  ]
  for (const [what, greeting] of noises) {
    it(`SSH-21: is not listened to: ${what}`, async (test) => {
      const host = await anSshHost(test)
      host.greet(`${greeting}\n`)
      const { report } = await someRuns().probe(host.target, { agentUnits: ['kubelet'] })
      assert.ok(report.kind === 'probed' && report.cpu >= 1 && report.cpu < 64)
      const outcome = await outcomeOf(host, 'echo fine; exit 3')
      assert.deepEqual([outcome.exitCode, outcome.stdoutTail, outcome.stderrTail], [3, 'fine\n', ''])
    })
  }

  it('SSH-21: that eats what it is sent is told apart from a run', async (test) => {
    const host = await anSshHost(test)
    host.greet('cat >/dev/null\n')
    const { report } = await someRuns().start(host.target, aRun('touch "$KPSSH_ROOT/ran"'), { waitMs: 5000 })
    assert.equal(report.kind === 'unable' && report.reason, 'ShellUnusable')
    assert.deepEqual(host.list(''), ['proc', 'run', 'var'])
  })
})

describe('what a script is given', { concurrency: 3, ...needsSshd }, () => {
  it('ref 13: is the preamble and the script, byte for byte, from a file that only root can read', async (test) => {
    const host = await anSshHost(test)
    const run = aRun('sleep 1\n# é\techo "$x" \\', { environment: { B_VAR: 'x y', A_VAR: "it's" } })
    const started = someRuns().start(host.target, run, { waitMs: 10_000 })
    await eventually(() => host.list('run/kpssh').includes(`${run.runId}.trap`), 'the script to run')
    const file = join(host.root, 'run/kpssh', `${run.runId}.script`)
    assert.equal(
      readFileSync(file, 'utf8'),
      "set -euo pipefail\nexport A_VAR='it'\\''s'\nexport B_VAR='x y'\nsleep 1\n# é\techo \"$x\" \\",
    )
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(join(host.root, 'run/kpssh')).mode & 0o777, 0o700)
    assert.equal(statSync(join(host.root, 'var/lib/kpssh')).mode & 0o777, 0o700)
    await started
  })

  it('an empty stdin, so that a command that reads it does not eat the script', async (test) => {
    const host = await anSshHost(test)
    const outcome = await outcomeOf(
      host,
      'cat\nread -r line || echo "nothing to read"\nhead -c 10\necho "still here"',
    )
    assert.equal(outcome.stdoutTail, 'nothing to read\nstill here\n')
  })

  it('values with any text in them', async (test) => {
    const host = await anSshHost(test)
    const values = {
      A: 'quote \' and " and $HOME `id` \\',
      B: 'two\nlines\n',
      C: '',
      D: 'ünï ☃',
      E: 'x'.repeat(131_000),
    }
    const script = 'for name in A B C D; do printf "%s|" "${!name}"; done; printenv E | tr -d "\\n" | wc -c'
    const outcome = await outcomeOf(host, script, { environment: values })
    assert.equal(outcome.stdoutTail, `${values.A}|${values.B}||${values.D}|131000\n`)
  })

  it('a script of 256 KiB', async (test) => {
    const host = await anSshHost(test)
    const script = `${'# filler\n'.repeat(29_000)}echo end`
    assert.equal((await outcomeOf(host, script)).stdoutTail, 'end\n')
  })

  it('nothing of ours: locale, umask, signals and descriptors are those of the login', async (test) => {
    const host = await anSshHost(test, { config: ['AcceptEnv none'] })
    host.greet('umask 027; export LC_ALL=C.UTF-8 LANG=C.UTF-8\n')
    const script =
      'umask; echo "$LC_ALL ${BASH_ENV-unset}"; grep -E "^Sig(Ign|Blk)" /proc/self/status; ls /proc/self/fd'
    const { stdoutTail } = await outcomeOf(host, script)
    const lines = stdoutTail.trim().split('\n')
    assert.deepEqual(lines.slice(0, 2), ['0027', 'C.UTF-8 unset'])
    assert.deepEqual(lines.slice(2, 4), ['SigBlk:\t0000000000000000', 'SigIgn:\t0000000000000000'])
    assert.deepEqual(lines.slice(4), ['0', '1', '2', '3']) // 3 is the folder that ls reads
  })

  it('the seed: fails at the first command that fails, at an unset variable and in a pipe', async (test) => {
    const host = await anSshHost(test)
    for (const script of ['false\necho no', 'echo "$NOT_SET"\necho no', 'false | cat\necho no']) {
      const outcome = await outcomeOf(host, script)
      assert.deepEqual([outcome.exitCode, outcome.stdoutTail], [1, ''])
    }
  })
})

describe('SSH-34: how a failure is told', { concurrency: 3, ...needsSshd }, () => {
  const failures: readonly [string, string, number, number | undefined][] = [
    ['the line of a command that said nothing', 'true\n\nfalse\ntrue', 1, 3],
    ['the line that called a function that failed', 'f() {\n  return 9\n}\ntrue\nf', 9, 5],
    ['the line of a failing pipe', 'true\nfalse | true', 1, 2],
    ['the line even where the script has a trap of its own', 'trap "true" EXIT\nfalse', 1, 2],
    ['only the code where the script ends itself', 'exit 4', 4, undefined],
  ]
  for (const [what, script, code, line] of failures) {
    it(what, async (test) => {
      const host = await anSshHost(test)
      const outcome = await outcomeOf(host, script, { environment: { A: 'a\nb', B: 'x' } })
      assert.deepEqual([outcome.exitCode, outcome.failedLine], [code, line])
      assert.deepEqual([outcome.stdoutTail, outcome.stderrTail], ['', ''])
    })
  }

  it('a success has no failed line, whatever failed on the way', async (test) => {
    const host = await anSshHost(test)
    const outcome = await outcomeOf(host, 'set +e\nfalse\nfalse || true\nif false; then :; fi\ntrue')
    assert.deepEqual([outcome.exitCode, outcome.failedLine], [0, undefined])
  })

  it("watching for failures changes none of the script's own traps and options", async (test) => {
    const host = await anSshHost(test)
    const script =
      'trap "echo mine" ERR\nset +e\nfalse\nset -e\n[[ $- != *E* ]] && echo "no errtrace"\ntrap - ERR\nexit 0'
    assert.equal((await outcomeOf(host, script)).stdoutTail, 'mine\nno errtrace\n')
  })
})

describe('SSH-36: secrets', { concurrency: 3, ...needsSshd }, () => {
  const token = 'abcdef.0123456789abcdef'
  const awkward = `it's "50%" $HOME\\n&/[x]*`
  const lines = 'first line of it\nsecond line of it'
  const environment = {
    KPSSH_BOOTSTRAP_TOKEN: token,
    KPSSH_SECRET_A: awkward,
    KPSSH_SECRET_L: lines,
    KPSSH_SECRET_S: 'pin7',
  }
  const secrets = [token, awkward, lines, 'pin7']

  it('do not show in a trace, in any encoding, nor across chunks', async (test) => {
    const host = await anSshHost(test)
    const script = [
      'printf "%s" "abcdef.0123"; sleep 0.3; echo "456789abcdef"',
      'echo "$KPSSH_SECRET_A"; echo "$KPSSH_SECRET_L"; echo "pin7 spinner7 pin7x (pin7)"',
      'printf %s "$KPSSH_BOOTSTRAP_TOKEN" | base64; printf "user:%s" "$KPSSH_BOOTSTRAP_TOKEN" | base64',
      'printf "%s\\n" "$KPSSH_SECRET_A" | base64 -w0; echo',
      'printf "%q\\n" "$KPSSH_SECRET_A"',
      'set -x; : "$KPSSH_BOOTSTRAP_TOKEN" "$KPSSH_SECRET_A" "$KPSSH_SECRET_L"; false',
    ].join('\n')
    const live: string[] = []
    const { report } = await someRuns().start(host.target, aRun(script, { environment, secrets }), {
      waitMs: 10_000,
      onOutput: (_stream, chunk) => live.push(Buffer.from(chunk).toString()),
    })
    assert.ok(report.kind === 'finished')
    const { stdoutTail, stderrTail } = report.outcome
    const all = `${stdoutTail}${stderrTail}${live.join('')}`
    const telling = [
      '0123456789',
      '50%',
      'of it',
      Buffer.from(token).toString('base64').slice(2, -4),
      Buffer.from(`user:${token}`).toString('base64').slice(9, -4),
      Buffer.from(awkward).toString('base64').slice(2, -4),
    ]
    for (const text of telling) assert.ok(!all.includes(text), `${text} in ${all}`)
    assert.match(
      stdoutTail,
      /^\[REDACTED\]\n\[REDACTED\]\n\[REDACTED\]\n\[REDACTED\]\n\[REDACTED\] spinner7 pin7x \(\[REDACTED\]\)\n/,
    )
    assert.equal(live.join('').split('\n').length, `${stdoutTail}${stderrTail}`.split('\n').length)
  })

  it('are in no argument and in no environment but the script’s, and in no file once it has ended', async (test) => {
    const host = await anSshHost(test)
    // One that no other process on this machine can have.
    const own = `own-secret-${String(process.pid)}-${String(performance.now())}`
    const run = aRun('sleep 1; exit 1', { environment: { KPSSH_SECRET_OWN: own }, secrets: [own] })
    const started = someRuns().start(host.target, run, { waitMs: 10_000 })
    await eventually(() => host.list('run/kpssh').includes(`${run.runId}.trap`), 'the script to run')
    const [, keeper] = host.read('run/kpssh/current').trim().split(' ')
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const command = readOrEmpty(`/proc/${pid}/cmdline`)
      assert.ok(!command.includes(own), command)
    }
    assert.ok(!readOrEmpty(`/proc/${String(keeper)}/environ`).includes(own))
    await started
    assert.deepEqual(host.list('run/kpssh'), ['current', 'lock', `${run.runId}.output`])
    for (const folder of ['run/kpssh', 'var/lib/kpssh', 'var/lib/kpssh/runs']) {
      for (const name of host.list(folder)) {
        if (name !== 'runs') assert.ok(!host.read(`${folder}/${name}`).includes(own), name)
      }
    }
  })

  it('are gone after a run that was over its time, too', async (test) => {
    const host = await anSshHost(test)
    const outcome = await outcomeOf(host, 'sleep 60', { environment, secrets, timeoutMs: 500 })
    assert.equal(outcome.kind, 'timed-out')
    assert.deepEqual(
      host.list('run/kpssh').filter((name) => !/^(current|lock|.*\.output)$/.test(name)),
      [],
    )
  })
})

describe('output that is kept', { concurrency: 2, ...needsSshd }, () => {
  it('ref 7: is all of it where it is short, with or without a last newline', async (test) => {
    const host = await anSshHost(test)
    assert.equal((await outcomeOf(host, 'printf short')).stdoutTail, 'short\n')
    assert.equal((await outcomeOf(host, 'echo; echo x; echo')).stdoutTail, '\nx\n\n')
  })

  it('ref 8: is the last whole lines of it where it is long, for each stream', async (test) => {
    const host = await anSshHost(test)
    const outcome = await outcomeOf(host, 'seq 100000 115000; echo err >&2; echo END')
    const lines = outcome.stdoutTail.trimEnd().split('\n')
    assert.equal(lines.at(-1), 'END')
    assert.match(lines[0] ?? '', /^1\d{5}$/)
    assert.ok(outcome.stdoutTail.length <= 65_536 && outcome.stdoutTail.length > 60_000)
    assert.equal(outcome.stderrTail, 'err\n')
  })

  it('is never mixed up between the streams, however long the lines', async (test) => {
    const host = await anSshHost(test)
    const print = (letter: string) => `for i in {1..40}; do printf "${letter}%.0s" {1..9000}; echo; done`
    const run = aRun(`(${print('a')}) & (${print('b')}) >&2 & wait`)
    const live = { stdout: '', stderr: '' }
    const { report } = await someRuns().start(host.target, run, {
      waitMs: 20_000,
      onOutput: (stream, chunk) => (live[stream] += Buffer.from(chunk).toString()),
    })
    assert.ok(report.kind === 'finished')
    const { stdoutTail, stderrTail } = report.outcome
    assert.match(stdoutTail, /^(a{9000}\n){7}$/)
    assert.match(stderrTail, /^(b{9000}\n){7}$/)
    assert.match(live.stdout, /^(a{9000}\n){40}$/)
    assert.match(live.stderr, /^(b{9000}\n){40}$/)
  })

  it('SSH-18: stays small on the host whatever is printed, and is redacted to the end', async (test) => {
    const host = await anSshHost(test)
    const script = '{ yes "a line with long-secret-value in it" || true; } | head -c 100000000; echo END'
    const outcome = await outcomeOf(host, script, { secrets: ['long-secret-value'], timeoutMs: 60_000 })
    assert.equal(outcome.exitCode, 0)
    assert.match(outcome.stdoutTail, /^(a line with \[REDACTED\] in it\n)+a l[^\n]*END\n$/)
    assert.ok(outcome.stdoutTail.length > 60_000)
    const files = host.list('run/kpssh').map((name) => statSync(join(host.root, 'run/kpssh', name)).size)
    assert.ok(Math.max(...files) < 1_500_000, String(files))
  })

  it('SSH-18: stays small where there is not even a newline', async (test) => {
    const host = await anSshHost(test)
    const outcome = await outcomeOf(host, 'head -c 100000000 /dev/zero | tr "\\0" x; echo; echo END', {
      timeoutMs: 60_000,
    })
    assert.equal(outcome.exitCode, 0)
    assert.equal(
      outcome.stdoutTail,
      '[more output than is followed live: its end is kept]\n[99934465 bytes left out]\nEND\n',
    )
  })

  it('is that of the last 20 runs', async (test) => {
    const host = await anSshHost(test)
    const runs = join(host.root, 'var/lib/kpssh/runs')
    mkdirSync(runs, { recursive: true })
    const old = Array.from({ length: 40 }, (_, index) => `old-${String(index + 1)}`)
    for (const id of old) writeFileSync(join(runs, `${id}.outcome`), 'exited 0 1 -\nend\n')
    const records = old.map((id, index) => `${String(index + 1)} installation-1 ${id} join boot 1 demo@1 .\n`)
    writeFileSync(join(host.root, 'var/lib/kpssh/started'), records.join(''))
    assert.equal((await outcomeOf(host, 'echo x')).stdoutTail, 'x\n')
    const kept = host.list('var/lib/kpssh/runs').filter((name) => name.endsWith('.outcome'))
    assert.equal(kept.length, 20)
    assert.ok(
      kept.includes('old-40.outcome') && kept.includes('old-22.outcome') && !kept.includes('old-21.outcome'),
    )
    assert.equal(host.read('var/lib/kpssh/started').split('\n').filter(Boolean).length, 20)
  })
})

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
