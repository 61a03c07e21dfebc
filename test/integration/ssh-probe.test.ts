// What a look at a host finds, and what a host must have.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { ProbeReport, RunReport } from '../../lib/execution/ports.ts'
import { aRun, someRuns } from '../support/sshd/runs-on.ts'
import { anSshHost, needsSshd, type SshHost } from '../support/sshd/ssh-host.ts'

async function probe(host: SshHost, agentUnits = ['kubelet']): Promise<ProbeReport | RunReport> {
  return (await someRuns().probe(host.target, { agentUnits })).report
}

async function agentOf(host: SshHost, units: readonly string[]): Promise<string> {
  const report = await probe(host, [...units])
  return report.kind === 'probed' ? report.agent : report.kind
}

const tools = [
  'bash',
  'flock',
  'setsid',
  'mkfifo',
  'mkdir',
  'mv',
  'rm',
  'head',
  'tail',
  'wc',
  'timeout',
  'nproc',
  'uname',
  'base64',
  'cat',
  'sudo',
]

function lastFence(host: SshHost): number {
  return Number(host.read('var/lib/kpssh/started').trim().split('\n').at(-1)?.split(' ')[0])
}

/** Leaves only these commands on the PATH of a session. */
function keepOnly(host: SshHost, names: readonly string[]): void {
  const bin = join(host.root, 'bin')
  mkdirSync(bin)
  for (const name of names)
    symlinkSync(name === 'flock' || name === 'setsid' ? `/usr/bin/${name}` : `/bin/${name}`, join(bin, name))
  host.greet(`export PATH=${bin}\n`)
}

describe('probe', { concurrency: 3, ...needsSshd }, () => {
  it('tells capacity, architecture, boot and clock', async (test) => {
    const host = await anSshHost(test)
    host.stub('nproc', 'echo 3')
    host.stub('uname', 'echo aarch64')
    writeFileSync(join(host.root, 'proc/meminfo'), 'MemFree: 1 kB\nMemTotal:    4000000 kB\n')
    writeFileSync(join(host.root, 'proc/sys/kernel/random/boot_id'), 'boot-7\n')
    const report = await probe(host)
    assert.ok(report.kind === 'probed')
    const { clockSkewMs, ...facts } = report
    assert.deepEqual(facts, {
      kind: 'probed',
      cpu: 3,
      memoryBytes: 4_096_000_000,
      arch: 'arm64',
      agent: 'unknown',
      bootID: 'boot-7',
    })
    assert.ok(Math.abs(clockSkewMs) < 1000)
    assert.deepEqual(host.list('var/lib'), [])
    assert.deepEqual(host.list('run'), [])
  })

  it('asks for every agent unit and takes the most alive', async (test) => {
    const host = await anSshHost(test)
    host.stub(
      'systemctl',
      '[[ $1 == is-active && $2 == -- ]] || exit 9; shift 2; for unit; do echo "${unit%%-*}"; done; exit 3',
    )
    assert.equal(await agentOf(host, ['inactive-a']), 'inactive')
    assert.equal(await agentOf(host, ['failed-a', 'activating-b', 'inactive-c']), 'activating')
    assert.equal(await agentOf(host, ['inactive-a', 'active-b']), 'active')
  })

  it('does without systemctl', async (test) => {
    const host = await anSshHost(test)
    keepOnly(host, tools)
    assert.equal(await agentOf(host, ['kubelet']), 'unknown')
  })

  it('is an error, never a host without CPUs, where a fact cannot be read', async (test) => {
    const host = await anSshHost(test)
    host.stub('nproc', 'exit 1')
    await assert.rejects(probe(host), { reason: 'ProbeUnreadable', code: 'HOST_UNREACHABLE' })
  })
})

describe('prerequisites', { concurrency: 3, ...needsSshd }, () => {
  for (const missing of ['flock', 'setsid', 'base64']) {
    it(`says that ${missing} is missing before anything is started`, async (test) => {
      const host = await anSshHost(test)
      keepOnly(
        host,
        tools.filter((name) => name !== missing),
      )
      const report = await probe(host)
      assert.equal(report.kind === 'unable' && report.reason, 'MissingPrerequisite')
      assert.match(report.kind === 'unable' ? report.message : '', new RegExp(missing))
    })
  }

  it('says that the places of our files cannot be written', async (test) => {
    const host = await anSshHost(test)
    rmSync(join(host.root, 'var/lib'), { recursive: true })
    writeFileSync(join(host.root, 'var/lib'), 'a file\n')
    const { report } = await someRuns().start(host.target, aRun('touch "$KPSSH_ROOT/ran"'), { waitMs: 5000 })
    assert.equal(report.kind === 'unable' && report.reason, 'StateNotWritable')
    assert.deepEqual(host.list(''), ['proc', 'run', 'var'])
  })

  it('says that a record cannot be written, and the host takes the run once it can', async (test) => {
    const host = await anSshHost(test)
    for (const name of ['runs', 'started'])
      mkdirSync(join(host.root, 'var/lib/kpssh', name), { recursive: true })
    const run = aRun('echo fine')
    const { report } = await someRuns().start(host.target, run, { waitMs: 5000 })
    assert.equal(report.kind === 'unable' && report.reason, 'StateNotWritable')
    assert.deepEqual(
      host.list('run/kpssh').filter((name) => /script|redact/.test(name)),
      [],
    )
    rmSync(join(host.root, 'var/lib/kpssh/started'), { recursive: true })
    const again = await someRuns().start(host.target, run, { waitMs: 5000 })
    assert.equal(again.report.kind === 'finished' && again.report.outcome.stdoutTail, 'fine\n')
  })

  it('does not mind a record that a power cut has torn', async (test) => {
    const host = await anSshHost(test)
    await someRuns().start(host.target, aRun('true'), { waitMs: 5000 })
    const started = join(host.root, 'var/lib/kpssh/started')
    writeFileSync(started, `${host.read('var/lib/kpssh/started')}99999999999 inst`)
    const { report } = await someRuns().start(host.target, aRun('echo fine'), { waitMs: 5000 })
    assert.equal(report.kind === 'finished' && report.outcome.stdoutTail, 'fine\n')
    const late = aRun('true', { fence: lastFence(host) })
    const refused = (await someRuns().start(host.target, late, { waitMs: 5000 })).report
    assert.equal(refused.kind === 'refused' && refused.reason, 'FenceStale')
  })
})
