import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toProbeReport } from './probe-answer.ts'

const nowMs = 1_800_000_000_000
const facts = {
  cpu: '4',
  memory_kb: '8000000',
  machine: 'aarch64',
  now_ms: '1800000060000',
  boot: 'boot-1',
  states: 'inactive',
  installation: '',
  fence: '0',
  running: '',
}

function body(more: Partial<Record<keyof typeof facts, string>> = {}): string {
  return Object.entries({ ...facts, ...more })
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

describe('toProbeReport', () => {
  it('reads the facts in the units and words of Kubernetes', () => {
    assert.deepEqual(toProbeReport('h1', body(), nowMs), {
      kind: 'probed',
      cpu: 4,
      memoryBytes: 8_192_000_000,
      arch: 'arm64',
      agent: 'inactive',
      bootID: 'boot-1',
      clockSkewMs: 60_000,
    })
  })

  const machines = [
    ['x86_64', 'amd64'],
    ['aarch64', 'arm64'],
    ['arm64', 'arm64'],
    ['riscv64', 'riscv64'],
    ['armv7l', 'armv7l'],
  ] as const
  for (const [machine, arch] of machines) {
    it(`names ${machine} ${arch}`, () =>
      assert.equal(toProbeReport('h1', body({ machine }), nowMs).arch, arch))
  }

  const states = [
    ['active', 'active'],
    ['inactive activating', 'activating'],
    ['failed inactive', 'failed'],
    ['inactive active', 'active'],
    ['deactivating', 'active'],
    ['reloading', 'active'],
    ['unknown', 'unknown'],
    ['', 'unknown'],
  ] as const
  for (const [given, agent] of states) {
    it(`takes the most alive of several units: "${given}" is ${agent}`, () => {
      assert.equal(toProbeReport('h1', body({ states: given }), nowMs).agent, agent)
    })
  }

  it('tells what the host remembers of us', () => {
    const report = toProbeReport('h1', body({ installation: 'i-1', fence: '17', running: 'run-1' }), nowMs)
    assert.deepEqual(report.installation, { id: 'i-1', fence: 17, runningRunId: 'run-1' })
    const quiet = toProbeReport('h1', body({ installation: 'i-1', fence: '17' }), nowMs)
    assert.deepEqual(quiet.installation, { id: 'i-1', fence: 17 })
  })

  const garbage = [
    '',
    '4\n8000000\nx86_64',
    body({ cpu: '0' }),
    body({ cpu: '-1' }),
    body({ cpu: '' }),
    body({ memory_kb: '8e6' }),
  ]
  for (const text of garbage) {
    it(`is an error, never a host without CPUs, for ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.throws(() => toProbeReport('h1', text, nowMs), {
        reason: 'ProbeUnreadable',
        code: 'HOST_UNREACHABLE',
      })
    })
  }

  const lies: readonly Partial<typeof facts>[] = [
    { memory_kb: '9'.repeat(400) },
    { machine: '..' },
    { machine: 'x86_64-' },
    { boot: '\u001b[2J' },
    { now_ms: 'NaN' },
    { now_ms: '-1' },
    { fence: '9223372036854775807' },
    { fence: '-1' },
    { installation: '../../../etc/shadow' },
    { installation: 'i-1\u0007' },
    { installation: 'i'.repeat(100_000) },
    { running: '$(reboot)' },
  ]
  for (const lie of lies) {
    it(`believes nothing of a host that says ${JSON.stringify(lie).slice(0, 60)}`, () => {
      assert.throws(() => toProbeReport('h1', body(lie), nowMs), { reason: 'ProbeUnreadable' })
    })
  }
})
