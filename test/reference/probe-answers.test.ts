// What a look at a host tells. There, four words of output; here, named facts that are all there or the look has failed.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HostError } from '../../lib/errors/host-error.ts'
import { toProbeReport } from '../../lib/execution/probe-answer.ts'
import type { ProbeReport } from '../../lib/execution/ports.ts'
import { isClaimable } from '../../lib/hosts/claimable.ts'
import { aHost, probed, t0 } from '../support/builders/hosts.ts'
import { after } from '../support/builders/transitions.ts'

const facts = {
  cpu: '8',
  memory_kb: '65011712',
  machine: 'x86_64',
  now_ms: String(t0),
  boot: '0c5b7b2e',
  states: 'inactive',
  installation: '',
  fence: '0',
  running: '',
}

function bodyOf(overrides: Partial<Record<keyof typeof facts, string>> = {}): string {
  return Object.entries({ ...facts, ...overrides })
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

function read(overrides: Parameters<typeof bodyOf>[0] = {}): ProbeReport {
  return toProbeReport('kpssh-system/h1', bodyOf(overrides), t0)
}

describe('the answer of a probe', () => {
  it('ref 107: of an idle machine', () => {
    const { cpu, memoryBytes, arch, agent } = read()
    assert.deepEqual([cpu, memoryBytes, arch, agent], [8, 66_571_993_088, 'amd64', 'inactive'])
  })

  it('ref 107: of a member with another architecture', () => {
    const { arch, agent } = read({ machine: 'aarch64', states: 'active' })
    assert.deepEqual([arch, agent], ['arm64', 'active'])
  })

  it('ref 107: of a machine whose agent nobody can tell anything about: not active', () => {
    assert.equal(read({ states: 'unknown' }).agent, 'unknown')
    assert.equal(after(aHost(), probed({ agent: 'unknown' }), t0).state, 'Available')
  })

  it('ref 107: that lacks a fact is no answer, where the reference takes three words of four', () => {
    const lacking = bodyOf().replace(/^states=.*\n/m, '')
    assert.throws(() => toProbeReport('kpssh-system/h1', lacking, t0), { reason: 'ProbeUnreadable' })
  })

  for (const [machine, arch] of [
    ['x86_64', 'amd64'],
    ['aarch64', 'arm64'],
    ['arm64', 'arm64'],
    ['riscv64', 'riscv64'],
    ['armv7l', 'armv7l'],
  ] as const) {
    it(`ref 108: says ${arch} for ${machine}`, () => assert.equal(read({ machine }).arch, arch))
  }

  it('ref 109: is sound or refused, whatever the host prints', () => {
    const line = fc.oneof(
      fc.constantFrom(...bodyOf().split('\n')),
      fc.tuple(fc.constantFrom(...Object.keys(facts)), fc.string()).map((pair) => pair.join('=')),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
        const report = readOrRefuse(lines.join('\n'))
        if (report === undefined) return
        assert.ok(report.cpu > 0 && report.memoryBytes > 0)
        assert.ok(!['x86_64', 'aarch64', ''].includes(report.arch))
        assert.ok(Number.isFinite(report.clockSkewMs))
      }),
    )
  })

  it('ref 131: without CPUs or memory is refused, and a host that showed none is not offered', () => {
    assert.throws(() => read({ cpu: '0' }), { reason: 'ProbeUnreadable' })
    assert.throws(() => read({ memory_kb: '0' }), { reason: 'ProbeUnreadable' })
    const empty = after(aHost(), probed({ capacity: { cpu: 0, memoryBytes: 1 } }), t0)
    assert.deepEqual(
      [empty.state, empty.reason, isClaimable(empty, t0)],
      ['Unhealthy', 'ProbeIncomplete', false],
    )
  })
})

function readOrRefuse(body: string): ProbeReport | undefined {
  try {
    return toProbeReport('kpssh-system/h1', body, t0)
  } catch (error) {
    assert.ok(error instanceof HostError, String(error))
    assert.equal(error.reason, 'ProbeUnreadable')
    return undefined
  }
}
