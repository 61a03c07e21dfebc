import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHost, t0 } from '../../test/support/builders/hosts.ts'
import { anSSHHost } from '../../test/support/builders/kubernetes.ts'
import { SSHHost } from '../api/ssh-host.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { planProjection } from './project-hosts.ts'

function patchOf(sshHost: SSHHost, record: HostRecord, nowMs = t0): object | undefined {
  return planProjection(sshHost, record, { cluster: 'lab', nowMs })?.status
}

function written(sshHost: SSHHost, record: HostRecord): SSHHost {
  return SSHHost.parse({ ...sshHost, status: patchOf(sshHost, record) })
}

describe('planProjection', () => {
  it('writes what the record says, and nothing a second time', () => {
    const record = aHost({ probedAtMs: t0 })
    assert.equal(patchOf(written(anSSHHost(), record), record, t0 + 60_000), undefined)
  })

  it('takes back a claim that ended', () => {
    const status = { state: 'InUse', claimRef: { name: 'x', uid: 'u' } } as const
    const patch = patchOf(anSSHHost({ status }), aHost())
    assert.equal(patch !== undefined && 'claimRef' in patch && patch.claimRef, null)
  })

  it('does not write every probe that saw nothing new', () => {
    const sshHost = written(anSSHHost(), aHost({ probedAtMs: t0 }))
    assert.equal(patchOf(sshHost, aHost({ probedAtMs: t0 + 120_000 }), t0 + 120_000), undefined)
    assert.notEqual(patchOf(sshHost, aHost({ probedAtMs: t0 + 600_000 }), t0 + 600_000), undefined)
  })
})
