import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SSHHostStatus } from '../api/ssh-host.ts'
import { aHost, aJoinedHost, t0 } from '../../test/support/builders/hosts.ts'
import type { HostRecord } from './host-record.ts'
import { projectHostStatus } from './project-host-status.ts'

function ready(host: HostRecord): string {
  const [condition] = projectHostStatus(host, t0).conditions ?? []
  return `${condition?.type} ${condition?.status} ${condition?.reason} ${condition?.message}`
}

describe('projectHostStatus', () => {
  it('shows what the table knows in the fields of the API', () => {
    const host = aJoinedHost({
      capacity: { cpu: 4, memoryBytes: 16_694_710_272 },
      arch: 'arm64',
      tokenIDs: ['aaaaaa', 'bbbbbb'],
      hostKeys: [{ type: 'ssh-ed25519', fingerprint: 'SHA256:x' }],
      probedAtMs: t0 + 999,
    })
    const status = projectHostStatus(host, t0, { generation: 3 })
    assert.deepEqual(status, {
      state: 'InUse',
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'ProbeSucceeded',
          message: 'InUse',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          observedGeneration: 3,
        },
      ],
      claimRef: { name: 'workers-abcde', uid: 'uid-1' },
      installedProfile: 'demo@1',
      bootstrapTokenID: 'bbbbbb',
      providerID: 'kpssh://kpssh-system/h1',
      hostKeyFingerprint: 'SHA256:x',
      observedCapacity: { cpu: '4', memory: '16303428Ki' },
      observedArch: 'arm64',
      observedGeneration: 3,
      lastProbeTime: '2026-01-01T00:00:00Z',
      lastProbeError: '',
    })
    assert.deepEqual(SSHHostStatus.parse(status), status)
  })

  it('names the NodeClaim in its own cluster alone', () => {
    assert.notEqual(projectHostStatus(aJoinedHost(), t0, { cluster: 'lab' }).claimRef, undefined)
    const elsewhere = projectHostStatus(aJoinedHost(), t0, { cluster: 'east' })
    assert.deepEqual([elsewhere.state, elsewhere.claimRef], ['InUse', undefined])
  })

  it('derives Ready from the state alone', () => {
    assert.equal(ready(aHost()), 'Ready True ProbeSucceeded Available')
    assert.equal(ready(aHost({ state: 'Leaving' })), 'Ready True ProbeSucceeded Leaving')
    assert.equal(ready(aHost({ state: 'Pending' })), 'Ready Unknown AwaitingProbe no probe has succeeded yet')
    assert.equal(
      ready(aHost({ state: 'Maintenance' })),
      'Ready False Maintenance parked by the maintenance annotation',
    )
    assert.equal(ready(aHost({ state: 'Unhealthy' })), 'Ready False ProbeFailed Unhealthy')
    assert.equal(
      ready(aHost({ state: 'Unhealthy', reason: 'JoinFailed', message: 'exit 1' })),
      'Ready False ProbeFailed JoinFailed: exit 1',
    )
  })

  it('says why a host is Unhealthy or has to leave', () => {
    const why = { reason: 'ZombieAgent', message: 'the agent runs' }
    const error = (host: HostRecord) => projectHostStatus(host, t0).lastProbeError
    assert.equal(error(aHost({ state: 'Unhealthy', ...why })), 'ZombieAgent: the agent runs')
    assert.equal(error(aHost({ state: 'Leaving', ...why })), 'ZombieAgent: the agent runs')
    assert.equal(error(aHost()), '')
  })

  it('keeps the transition time while the condition stays as it was', () => {
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:00:00Z' } as const,
    ]
    const at = (host: HostRecord) =>
      projectHostStatus(host, t0, { conditions }).conditions?.[0]?.lastTransitionTime
    assert.equal(at(aHost()), '2025-01-01T00:00:00Z')
    assert.equal(at(aHost({ state: 'Unhealthy' })), '2026-01-01T00:00:00Z')
  })
})
