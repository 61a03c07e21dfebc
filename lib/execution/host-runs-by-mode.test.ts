import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeHostRunsByMode } from './host-runs-by-mode.ts'
import type { HostAdoption, HostRuns, SshTarget } from './ports.ts'

const raw: SshTarget = {
  label: 'h1',
  address: '10.0.0.1',
  port: 22,
  user: 'kpssh',
  privateKey: { reveal: () => 'key' },
  pins: [],
}
const verified = { ...raw, verified: { shimCommand: '/opt/kpssh/kpssh-shim' } }
const run = { runId: 'run-1', phase: 'join' }

function noting(name: string, log: string[]): HostRuns & HostAdoption {
  const report = { kind: 'unable', reason: name, message: '' } as const
  const answer = (what: string) => () => {
    log.push(`${name} ${what}`)
    return Promise.resolve({ report, hostKeys: [] })
  }
  return {
    start: answer('start'),
    attach: answer('attach'),
    probe: answer('probe'),
    adopt: answer('adopt'),
  }
}

describe('makeHostRunsByMode', () => {
  it('asks each host in its own mode', async () => {
    const log: string[] = []
    const runs = makeHostRunsByMode({ raw: noting('raw', log), verified: noting('verified', log) })
    for (const target of [raw, verified]) {
      await runs.attach(target, run, { waitMs: 1 })
      await runs.probe(target, { agentUnits: [] })
      await runs.adopt(target, { installationID: 'i-1', fence: 7 })
    }
    assert.deepEqual(log, ['raw attach', 'raw probe', 'raw adopt', 'verified attach', 'verified probe'])
  })

  it('says what root types on a Verified host to adopt it: no envelope does that', async () => {
    const runs = makeHostRunsByMode({ raw: noting('raw', []), verified: noting('verified', []) })
    const { report } = await runs.adopt(verified, { installationID: 'i-1', fence: 7 })
    assert.equal(report.kind === 'unable' && report.reason, 'AdoptionNeedsRoot')
    assert.match(
      report.kind === 'unable' ? report.message : '',
      /"\/opt\/kpssh\/kpssh-shim adopt i-1 7" as root/,
    )
  })
})
