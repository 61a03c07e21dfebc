// What a signed script is given, what is kept of it, and what it leaves: as on every other host, but for the preamble.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { RunOutcome, RunRequest } from '../../../lib/execution/ports.ts'
import { eventually } from '../../support/eventually.ts'
import { aRun } from '../../support/sshd/runs-on.ts'
import { signedRun } from '../../support/sshd/signer.ts'
import { needsSshd } from '../../support/sshd/ssh-host.ts'
import { aVerifiedHost, runs, scriptSigner, type VerifiedHost } from '../../support/sshd/verified-host.ts'

async function outcomeOf(
  host: VerifiedHost,
  script: string,
  more: Partial<RunRequest> = {},
): Promise<RunOutcome> {
  const run = signedRun(host.signer, aRun(script, more))
  const { report } = await runs.start(host.target, run, { waitMs: 20_000 })
  assert.ok(report.kind === 'finished', JSON.stringify(report))
  return report.outcome
}

describe('what a signed script is given', { concurrency: 3, ...needsSshd }, () => {
  it('is exactly what was signed: no preamble, and a file that only root can read', async (test) => {
    const host = await aVerifiedHost(test)
    const script = 'false\nuntil [ -e "$KPSSH_ROOT/go" ]; do sleep 0.05; done\n# é\techo "$x" \\'
    const run = signedRun(host.signer, aRun(script, { environment: { KPSSH_A: "it's" } }))
    const { report } = await runs.start(host.target, run, { waitMs: 0 })
    assert.equal(report.kind, 'running')
    await eventually(() => host.list('run/kpssh').includes(`${run.runId}.trap`), 'the script to run')
    const folder = join(host.root, 'run/kpssh')
    assert.equal(readFileSync(join(folder, `${run.runId}.script`), 'utf8'), script)
    assert.equal(readFileSync(join(folder, `${run.runId}.parameters`), 'utf8'), "export KPSSH_A='it'\\''s'\n")
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    for (const end of ['script', 'parameters', 'redact', 'run', 'output']) {
      assert.equal(statSync(join(folder, `${run.runId}.${end}`)).mode & 0o077, 0, end)
    }
    const ended = await outcomeAfter(host, run)
    assert.deepEqual(
      [ended.exitCode, host.list('run/kpssh')],
      [0, ['current', 'lock', `${run.runId}.output`]],
    )
  })

  it('an empty stdin, and nothing of ours: locale, umask, signals and options are those of the login', async (test) => {
    const host = await aVerifiedHost(test)
    const script =
      'cat\necho "$- $(umask) ${LC_ALL-none} ${BASH_ENV-none} ${IFS@Q}"\ngrep -E "^Sig(Ign|Blk)" /proc/self/status\nls /proc/self/fd\n'
    const lines = (await outcomeOf(host, script)).stdoutTail.trim().split('\n')
    assert.equal(lines[0], "hB 0022 none none $' \\t\\n'")
    assert.deepEqual(lines.slice(1, 3), ['SigBlk:\t0000000000000000', 'SigIgn:\t0000000000000000'])
    assert.deepEqual(lines.slice(3), ['0', '1', '2', '3']) // 3 is the folder that ls reads
  })

  it('SSH-34: and its failed line is counted from its own first', async (test) => {
    const host = await aVerifiedHost(test)
    const { exitCode, failedLine } = await outcomeOf(host, 'set -e\ntrue\n\nfalse\ntrue\n')
    assert.deepEqual([exitCode, failedLine], [1, 4])
  })

  it('a script of 256 KiB', async (test) => {
    const host = await aVerifiedHost(test)
    assert.equal((await outcomeOf(host, `${'# filler\n'.repeat(29_000)}echo end\n`)).stdoutTail, 'end\n')
  })

  it('ref 35: values as they are, whatever one line can hold, in both versions of the envelope', async (test) => {
    const host = await aVerifiedHost(test)
    host.trust(`kpssh namespaces="kpssh,kpssh-manifest" ${host.signer.publicKey}`)
    const script = 'printf "%s|%s|" "$KPSSH_VAR_a" "$KPSSH_VAR_b" | base64 -w0\n'
    const signed = signedRun(host.signer, aRun(script, { environment: { KPSSH_VAR_a: '', KPSSH_VAR_b: '' } }))
    const value = fc.string({
      unit: fc.constantFrom(...'a =\'"$`\\!*?[]{}~#%&;<>|\t\r\u0001\u001b\u007fé☃😀'.split(/(?:)/u)),
      maxLength: 30,
    })
    const ways = [signed.signed, { signature: signed.signed?.signature ?? '' }]
    await fc.assert(
      fc.asyncProperty(value, value, fc.constantFrom(...ways), async (a, b, way) => {
        const { runId, fence } = aRun('')
        const run = {
          ...signed,
          runId,
          fence,
          environment: { KPSSH_VAR_a: a, KPSSH_VAR_b: b },
          ...(way && { signed: way }),
        }
        const { report } = await runs.start(host.target, run, { waitMs: 10_000 })
        assert.ok(report.kind === 'finished', JSON.stringify(report))
        assert.equal(Buffer.from(report.outcome.stdoutTail, 'base64').toString(), `${a}|${b}|`)
      }),
      { numRuns: 20 },
    )
  })
})

async function outcomeAfter(host: VerifiedHost, run: RunRequest): Promise<RunOutcome> {
  writeFileSync(join(host.root, 'go'), '')
  const { report } = await runs.attach(host.target, run, { waitMs: 10_000 })
  assert.ok(report.kind === 'finished')
  return report.outcome
}

describe('SSH-36: the secrets of a signed script', { concurrency: 2, ...needsSshd }, () => {
  const token = 'abcdef.0123456789abcdef'
  const awkward = `it's "50%" $HOME\\n&/[x]*`
  const environment = { KPSSH_BOOTSTRAP_TOKEN: token, KPSSH_SECRET_A: awkward, KPSSH_SECRET_S: 'pin7' }

  it('do not show, live or in the end, in a trace or encoded: the host itself knows which they are', async (test) => {
    const host = await aVerifiedHost(test)
    const script = [
      'echo "$KPSSH_BOOTSTRAP_TOKEN ${KPSSH_BOOTSTRAP_TOKEN#*.}"; echo "$KPSSH_SECRET_A"; echo "pin7 spinner7"',
      'printf %s "$KPSSH_BOOTSTRAP_TOKEN" | base64; printf "%q\\n" "$KPSSH_SECRET_A"',
      'set -x; : "$KPSSH_BOOTSTRAP_TOKEN" "$KPSSH_SECRET_A"; false',
    ].join('\n')
    const live: string[] = []
    // The control plane tells the host of no secrets: it has no say in that.
    const run = signedRun(host.signer, aRun(script, { environment, secrets: [] }))
    const { report } = await runs.start(host.target, run, {
      waitMs: 10_000,
      onOutput: (_stream, chunk) => live.push(Buffer.from(chunk).toString()),
    })
    assert.ok(report.kind === 'finished')
    const { stdoutTail, stderrTail } = report.outcome
    assert.match(
      stdoutTail,
      /^\[REDACTED\] \[REDACTED\]\n\[REDACTED\]\n\[REDACTED\] spinner7\n\[REDACTED\]\n\[REDACTED\]\n$/,
    )
    const all = `${stdoutTail}${stderrTail}${live.join('')}`
    const encoded = Buffer.from(token).toString('base64').slice(2, -4)
    for (const text of ['0123456789', '50%', encoded]) assert.ok(!all.includes(text), `${text} in ${all}`)
  })

  it('are in no argument, in no environment but the script’s, and in no file once it has ended', async (test) => {
    const host = await aVerifiedHost(test)
    // One that no other process on this machine can have.
    const own = `own-secret-${String(process.pid)}-${String(performance.now())}`
    const script = 'until [ -e "$KPSSH_ROOT/go" ]; do sleep 0.05; done\nexit 1\n'
    const run = signedRun(host.signer, aRun(script, { environment: { KPSSH_SECRET_OWN: own } }))
    await runs.start(host.target, run, { waitMs: 0 })
    await eventually(() => host.list('run/kpssh').includes(`${run.runId}.trap`), 'the script to run')
    const [, keeper = ''] = host.read('run/kpssh/current').trim().split(' ')
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      assert.ok(!readOrEmpty(`/proc/${pid}/cmdline`).includes(own))
    }
    assert.ok(!readOrEmpty(`/proc/${keeper}/environ`).includes(own))
    await outcomeAfter(host, run)
    for (const folder of ['run/kpssh', 'var/lib/kpssh', 'var/lib/kpssh/runs', 'var/lib/kpssh/serials']) {
      for (const name of host.list(folder)) {
        if (name !== 'runs' && name !== 'serials')
          assert.ok(!host.read(`${folder}/${name}`).includes(own), name)
      }
    }
  })

  it('are hidden here where the shim of the host does not know of them', async (test) => {
    const host = await aVerifiedHost(test)
    host.trust(scriptSigner(host.signer))
    const run = aRun('echo "$KPSSH_SECRET_A"; printf %s "$KPSSH_BOOTSTRAP_TOKEN" | base64\n', {
      environment,
      secrets: [token, awkward],
    })
    const signed = { ...run, signed: { signature: host.signer.sign(run.script, 'kpssh') } }
    const { report } = await runs.start(host.target, signed, { waitMs: 10_000 })
    assert.equal(report.kind === 'finished' && report.outcome.stdoutTail, '[REDACTED]\n[REDACTED]\n')
  })
})

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it has ended
  }
}
