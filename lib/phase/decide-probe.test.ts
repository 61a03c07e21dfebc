import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProbeReport } from '../execution/ports.ts'
import { aClaimedHost, aHost, aRun } from '../../test/support/builders/hosts.ts'
import { classifyProbe, decideProbe, isOvertaken, mayProbe } from './decide-probe.ts'

const report: ProbeReport = {
  kind: 'probed',
  cpu: 8,
  memoryBytes: 66_571_993_088,
  arch: 'amd64',
  agent: 'inactive',
  bootID: 'boot-1',
  clockSkewMs: 12,
  installation: { id: 'installation-1', fence: 42 },
}
function question(overrides: { attempt?: number; probeError?: string; installationID?: string } = {}) {
  const { attempt = 1, probeError, installationID = 'installation-1' } = overrides
  return { record: aHost(probeError === undefined ? {} : { probeError }), attempt, installationID }
}
const silent = { kind: 'unreachable', reason: 'ClosedBeforeBanner', message: 'closed' } as const

describe('mayProbe', () => {
  it('looks only at hosts that nobody holds, has quarantined or has parked', () => {
    assert.ok(mayProbe(aHost()))
    assert.ok(mayProbe(aHost({ state: 'Unhealthy', leavePending: true })))
    assert.ok(!mayProbe(aClaimedHost()))
    assert.ok(!mayProbe(aHost({ state: 'Leaving', leavePending: true, run: aRun({ phase: 'leave' }) })))
    assert.ok(!mayProbe(aHost({ state: 'Maintenance', maintenance: true })))
    assert.ok(
      !mayProbe(aHost({ state: 'Unhealthy', quarantine: { reason: 'HostKeyChanged', message: 'm' } })),
    )
  })
})

describe('mayProbe, after a lost table', () => {
  it('looks at a claimed host whose claim was only read from its SSHHost, so that it can be taken in', () => {
    assert.ok(mayProbe(aClaimedHost({ takenIn: false })))
    assert.ok(!mayProbe(aClaimedHost({ takenIn: false, run: aRun({ phase: 'leave' }) })))
  })
})

describe('isOvertaken', () => {
  it('ref 105: what was seen before a claim or a run is not true any more', () => {
    const atLook = aHost({ fence: 7 })
    assert.ok(!isOvertaken(atLook, aHost({ fence: 7, version: 9 })))
    assert.ok(isOvertaken(atLook, aHost({ fence: 8 })))
    assert.ok(isOvertaken(atLook, aClaimedHost({ fence: 7 })))
  })
})

describe('decideProbe', () => {
  it('ref 98: notes the facts, and whether the host knows our installation', () => {
    const facts = {
      capacity: { cpu: 8, memoryBytes: 66_571_993_088 },
      arch: 'amd64',
      agent: 'inactive',
      isOursOnHost: true,
      hostFence: 42,
      bootID: 'boot-1',
      clockSkewMs: 12,
    }
    const contact = { kind: 'reported', report, hostKeys: [] } as const
    assert.deepEqual(decideProbe(contact, question()), { kind: 'record', event: { kind: 'probed', facts } })
    assert.deepEqual(decideProbe(contact, question({ installationID: 'installation-2' })), {
      kind: 'record',
      event: { kind: 'probed', facts: { ...facts, isOursOnHost: false } },
    })
  })

  it('SSH-08: asks a silent host twice more before it says that it is broken', () => {
    assert.deepEqual(decideProbe(silent, question({ attempt: 1 })), { kind: 'ask-again' })
    assert.deepEqual(decideProbe(silent, question({ attempt: 2 })), { kind: 'ask-again' })
    assert.deepEqual(decideProbe(silent, question({ attempt: 3 })), {
      kind: 'record',
      event: { kind: 'probe-failed', reason: 'ClosedBeforeBanner', message: 'closed' },
    })
  })

  it('asks a host that is known to be broken once per pass', () => {
    assert.equal(decideProbe(silent, question({ probeError: 'ConnectTimeout: x' })).kind, 'record')
  })

  it('SSH-24: what the host lacks is said by its reason', () => {
    const unable = { kind: 'unable', reason: 'SudoNeedsTty', message: 'sudo wants a terminal' } as const
    assert.deepEqual(decideProbe({ kind: 'reported', report: unable, hostKeys: [] }, question()), {
      kind: 'record',
      event: { kind: 'probe-failed', reason: 'SudoNeedsTty', message: 'sudo wants a terminal' },
    })
  })

  it('SSH-01: another key quarantines', () => {
    const otherKey = { kind: 'other-key', reason: 'HostKeyChanged', message: 'pinned A, it shows B' } as const
    assert.deepEqual(decideProbe(otherKey, question()), {
      kind: 'record',
      event: { kind: 'quarantined', reason: 'HostKeyChanged', message: 'pinned A, it shows B' },
    })
  })
})

describe('classifyProbe', () => {
  it('JOIN-09: a zombie is known by its agent and our marker, whatever Nodes exist', () => {
    assert.equal(classifyProbe(aHost({ agent: 'active', installed: 'demo@1' })), 'zombie')
    assert.equal(classifyProbe(aHost({ agent: 'activating', isOursOnHost: true })), 'zombie')
    assert.equal(classifyProbe(aHost({ agent: 'inactive', installed: 'demo@1' })), 'healthy')
    assert.equal(
      classifyProbe(aHost({ agent: 'active', state: 'Unhealthy', reason: 'ForeignKubelet' })),
      'foreign',
    )
    assert.equal(classifyProbe(aHost({ probeError: 'x', agent: 'active', installed: 'demo@1' })), 'failed')
  })
})
