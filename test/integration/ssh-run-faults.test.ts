// Runs when things go wrong between us and the host, or on it. Real sshd, real bash.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { RunReport } from '../../lib/execution/ports.ts'
import { eventually } from '../support/eventually.ts'
import { aRun, someRuns } from '../support/sshd/runs-on.ts'
import { anSshHost, needsSshd, type SshHost } from '../support/sshd/ssh-host.ts'

const longMs = 15_000

async function start(host: SshHost, run: ReturnType<typeof aRun>, waitMs = longMs): Promise<RunReport> {
  return (await someRuns().start(host.target, run, { waitMs })).report
}

async function attach(host: SshHost, run: ReturnType<typeof aRun>, offset = 0): Promise<RunReport> {
  return (await someRuns().attach(host.target, run, { waitMs: longMs, offset })).report
}

function stdoutOf(report: RunReport): string {
  assert.equal(report.kind, 'finished')
  return report.outcome.stdoutTail
}

/** Processes whose parent is this one. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number)
}

function parentOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  } catch {
    return 0
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('a run whose connection is lost', { concurrency: 3, ...needsSshd }, () => {
  it('SSH-30, SSH-31: goes on when sshd is restarted, is never a success by itself, and is collected later', async (test) => {
    const host = await anSshHost(test)
    const run = aRun('echo begun; sleep 1.5; echo ended; echo x >> "$KPSSH_ROOT/times"')
    const started = start(host, run)
    await eventually(() => host.read(`run/kpssh/${run.runId}.output`).includes('begun'), 'the run to begin')
    for (const session of childrenOf(host.sshd.pid)) process.kill(session, 'SIGKILL')
    assert.equal((await started).kind, 'indeterminate')

    const rival = await start(host, aRun('echo x >> "$KPSSH_ROOT/times"'))
    assert.equal(rival.kind === 'refused' && rival.reason, 'RunInProgress')

    assert.equal(stdoutOf(await attach(host, run)), 'begun\nended\n')
    assert.equal(stdoutOf(await start(host, run)), 'begun\nended\n')
    assert.equal(host.read('times'), 'x\n')
  })

  it('SSH-31: goes on when the one who watched it is killed', async (test) => {
    const host = await anSshHost(test)
    const run = aRun('sleep 1; echo ended')
    const abort = new AbortController()
    const watched = someRuns().start(host.target, run, { waitMs: longMs, signal: abort.signal })
    await eventually(() => host.read('run/kpssh/current').includes(run.runId), 'the run to begin')
    abort.abort()
    assert.equal((await watched).report.kind, 'indeterminate')
    assert.equal(stdoutOf(await attach(host, run)), 'ended\n')
  })

  it('goes on from the output offset', async (test) => {
    const host = await anSshHost(test)
    const run = aRun('echo one; echo two >&2; sleep 3; echo three')
    const first: string[] = []
    const onOutput = (stream: string, chunk: Uint8Array) =>
      first.push(`${stream} ${Buffer.from(chunk).toString()}`)
    const { report } = await someRuns().start(host.target, run, { waitMs: 2000, onOutput })
    assert.equal(report.kind, 'running')
    assert.deepEqual(first.sort(), ['stderr two\n', 'stdout one\n'])
    const rest: string[] = []
    await someRuns().attach(host.target, run, {
      waitMs: longMs,
      offset: report.offset,
      onOutput: (_stream, chunk) => rest.push(Buffer.from(chunk).toString()),
    })
    assert.deepEqual(rest, ['three\n'])
  })

  it('SSH-30, JOIN-21: is lost with a reboot, which is known by the boot id, and the host takes the next one', async (test) => {
    const host = await anSshHost(test)
    const run = aRun('sleep 30')
    const before = await start(host, run, 300)
    const [, keeper] = host.read('run/kpssh/current').trim().split(' ')
    killSession(Number(keeper))
    host.reboot()
    const after = await attach(host, run)
    assert.equal(after.kind === 'finished' && after.outcome.kind, 'lost')
    assert.equal(after.kind === 'finished' && after.outcome.exitCode, undefined)
    assert.notEqual(before.kind === 'running' && before.bootID, after.kind === 'finished' && after.bootID)
    assert.equal(stdoutOf(await start(host, aRun('echo next'))), 'next\n')
  })

  it('is lost with its supervisor, and what it left behind is ended before the next one starts', async (test) => {
    const host = await anSshHost(test)
    const run = aRun('echo $$ > "$KPSSH_ROOT/pid"; sleep 60')
    await start(host, run, 300)
    await eventually(() => host.read('pid') !== '', 'the script to run')
    const [, keeper] = host.read('run/kpssh/current').trim().split(' ')
    process.kill(Number(keeper), 'SIGKILL')
    const next = await start(host, aRun('echo next'))
    assert.equal(stdoutOf(next), 'next\n')
    assert.equal(isAlive(Number(host.read('pid'))), false)
    const lost = await attach(host, run)
    assert.equal(lost.kind === 'finished' && lost.outcome.kind, 'lost')
    assert.deepEqual(
      host.list('run/kpssh').filter((name) => /script|redact/.test(name)),
      [],
    )
  })
})

describe('runs that meet', { concurrency: 2, ...needsSshd }, () => {
  it('POOL-02: one run started by ten at once is executed once, and all ten learn its outcome', async (test) => {
    const host = await anSshHost(test)
    const run = aRun('echo x >> "$KPSSH_ROOT/times"; sleep 0.5; echo once')
    const reports = await Promise.all(Array.from({ length: 10 }, () => start(host, run)))
    assert.deepEqual(
      reports.map(stdoutOf),
      Array.from({ length: 10 }, () => 'once\n'),
    )
    assert.equal(host.read('times'), 'x\n')
  })

  it('SSH-31, DDB-04: of ten different runs at once no two overlap', async (test) => {
    const host = await anSshHost(test)
    const script = 'echo in >> "$KPSSH_ROOT/log"; sleep 0.3; echo out >> "$KPSSH_ROOT/log"'
    const reports = await Promise.all(Array.from({ length: 10 }, () => start(host, aRun(script))))
    const executed = reports.filter((report) => report.kind === 'finished')
    const refused = reports.filter((report) => report.kind === 'refused')
    assert.ok(executed.length >= 1)
    assert.equal(executed.length + refused.length, 10)
    assert.equal(host.read('log'), 'in\nout\n'.repeat(executed.length))
  })
})

describe('the deadline', { concurrency: 2, ...needsSshd }, () => {
  it('is kept by the host, by TERM first', async (test) => {
    const host = await anSshHost(test)
    const script = 'trap "echo cleaned; exit 0" TERM\nsleep 60 &\nwait'
    const report = await start(host, aRun(script, { timeoutMs: 800 }))
    assert.equal(report.kind === 'finished' && report.outcome.kind, 'timed-out')
    assert.equal(stdoutOf(report), 'cleaned\n')
  })

  it('reaches what left the process group and the session', async (test) => {
    const host = await anSshHost(test)
    const script = [
      'setsid bash -c \'echo $$ > "$KPSSH_ROOT/a"; exec sleep 60\' &',
      'timeout 60 bash -c \'echo $$ > "$KPSSH_ROOT/b"; sleep 60\' &',
      '(bash -c \'echo $$ > "$KPSSH_ROOT/c"; exec sleep 60\' &)',
      'sleep 60',
    ].join('\n')
    const report = await start(host, aRun(script, { timeoutMs: 1000 }))
    assert.equal(report.kind === 'finished' && report.outcome.kind, 'timed-out')
    for (const name of ['a', 'b', 'c']) assert.equal(isAlive(Number(host.read(name))), false, name)
  })

  it('is kept when nobody watches', async (test) => {
    const host = await anSshHost(test)
    const run = aRun('sleep 60', { timeoutMs: 1000 })
    assert.equal((await start(host, run, 100)).kind, 'running')
    await eventually(
      () => host.read(`var/lib/kpssh/runs/${run.runId}.outcome`).startsWith('timed-out - 1'),
      'the end',
    )
  })
})

describe('a script that signals', { concurrency: 2, ...needsSshd }, () => {
  it('its whole process group reaches itself and its children, and its end is known', async (test) => {
    const host = await anSshHost(test)
    const script = 'trap "trap - TERM; kill 0" EXIT\nsleep 60 &\necho $! > "$KPSSH_ROOT/pid"\necho done'
    const report = await start(host, aRun(script))
    assert.equal(report.kind === 'finished' && report.outcome.kind, 'exited')
    assert.equal(report.kind === 'finished' && report.outcome.exitCode, 143)
    assert.equal(stdoutOf(report), 'done\n')
    assert.equal(isAlive(Number(host.read('pid'))), false)
  })

  it('itself with KILL has no outcome but the signal', async (test) => {
    const host = await anSshHost(test)
    const report = await start(host, aRun('echo begun; kill -KILL $$'))
    assert.equal(report.kind === 'finished' && report.outcome.exitCode, 137)
    assert.equal(stdoutOf(report), 'begun\n')
    assert.equal(report.kind === 'finished' && report.outcome.stderrTail, '')
  })
})

describe('what a script leaves behind', needsSshd, () => {
  it('does not keep a run from ending, even if it holds the output open', async (test) => {
    const host = await anSshHost(test)
    const report = await start(host, aRun('sleep 60 &\necho $! > "$KPSSH_ROOT/pid"\necho done'))
    assert.equal(stdoutOf(report), 'done\n')
    const pid = Number(host.read('pid'))
    test.after(() => process.kill(pid))
    assert.ok(isAlive(pid))
    assert.equal(stdoutOf(await start(host, aRun('echo next'))), 'next\n')
    assert.ok(isAlive(pid))
  })
})

function killSession(leader: number): void {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')
      if (Number(fields?.[3]) === leader) process.kill(Number(name), 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }
}
