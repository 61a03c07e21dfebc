import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { startDemoHosts, type DemoHosts } from '../../infra/local/demo-hosts/start-demo-hosts.ts'
import type { RunReport, SshTarget } from '../../lib/execution/ports.ts'
import { aRun, someRuns } from '../support/sshd/runs-on.ts'
import { profileDirectory } from './demo-hosts/demo-world.ts'

describe('runs on demo hosts', () => {
  let hosts: DemoHosts
  const runs = someRuns()
  before(async () => {
    hosts = await startDemoHosts({ hosts: [{ name: 'one', cpu: 3, memory: '2Gi' }] })
  })
  after(() => hosts.close())
  const target = (): SshTarget => {
    const { name, address, port, user } = hosts.host('one')
    return { label: name, address, port, user, privateKey: { reveal: () => hosts.privateKey }, pins: [] }
  }
  const exitCode = (report: RunReport): number | undefined =>
    report.kind === 'finished' ? report.outcome.exitCode : undefined
  const watch = { waitMs: 20_000 }

  it('are probed as the machine that the host claims to be', async () => {
    const { report, hostKeys } = await runs.probe(target(), { agentUnits: ['kubelet'] })
    assert.equal(report.kind, 'probed')
    if (report.kind !== 'probed') return
    assert.deepEqual([report.cpu, report.memoryBytes, report.agent], [3, 2 ** 31, 'inactive'])
    assert.deepEqual(
      hostKeys.map(({ fingerprint }) => fingerprint),
      [hosts.host('one').hostKeyFingerprint],
    )
  })

  it('carry out the phases of the demo profile', async () => {
    for (const phase of ['install', 'leave', 'uninstall'] as const) {
      const script = await readFile(`${profileDirectory}/${phase}.sh`, 'utf8')
      const { report } = await runs.start(target(), aRun(script, { phase }), watch)
      assert.equal(exitCode(report), 0, JSON.stringify(report))
    }
  })

  it('keep their state on the host and nowhere else', async () => {
    const { root } = hosts.host('one')
    assert.match(await readFile(`${root}/var/lib/kpssh/started`, 'utf8'), /installation-1/)
  })

  it('end with a reboot, which another boot id shows', async () => {
    const run = aRun('echo begun; sleep 1000')
    const { report } = await runs.start(target(), run, { waitMs: 500 })
    assert.equal(report.kind, 'running')
    await hosts.reboot('one')
    const later = await runs.attach(target(), { runId: run.runId, phase: run.phase }, watch)
    assert.equal(later.report.kind === 'finished' ? later.report.outcome.kind : later.report.kind, 'lost')
    assert.notEqual(bootOf(later.report), bootOf(report))
  })
})

function bootOf(report: RunReport): string | undefined {
  return 'bootID' in report ? report.bootID : undefined
}
