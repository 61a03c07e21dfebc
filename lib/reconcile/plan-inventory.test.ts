import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHost, aJoinedHost, t0 } from '../../test/support/builders/hosts.ts'
import { aNodeClaim, anSSHHost } from '../../test/support/builders/kubernetes.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { findTwins } from './find-twins.ts'
import { planInventory } from './plan-inventory.ts'
import { planHostStatus } from './project-hosts.ts'

function plan(
  sshHosts: readonly SSHHost[],
  records: readonly HostRecord[],
  nodeClaims: readonly NodeClaim[] = [],
) {
  return planInventory(
    {
      cluster: 'lab',
      pools: { defaultPool: 'lab', namespace: 'kpssh-system' },
      sshHosts,
      records: new Map(records.map((record) => [hostKeyText(record.key), record])),
      agentUnits: new Map([['k3s', ['k3s-agent']]]),
      nodeClaims,
    },
    t0,
  )
}

describe('planInventory', () => {
  it('takes in a host that the table does not know', () => {
    const [action] = plan([anSSHHost()], [])
    assert.equal(action?.kind, 'take-in')
    assert.deepEqual(action.kind === 'take-in' && [action.record.state, action.record.takenIn], [
      'Pending',
      false,
    ])
  })

  it('ref 75: rebuilds a lost claim from the status of the SSHHost, without trusting it yet', () => {
    const status = {
      state: 'InUse',
      claimRef: { name: 'workers-abcde', uid: 'uid-1' },
      installedProfile: 'k3s@2',
      providerID: 'kpssh://kpssh-system/h1',
    } as const
    const [action] = plan([anSSHHost({ status })], [])
    assert.ok(action?.kind === 'take-in')
    const { claim, installed, leavePending, takenIn, agentUnits } = action.record
    assert.deepEqual(
      [claim?.uid, installed, leavePending, takenIn, agentUnits],
      ['uid-1', 'k3s@2', true, false, ['k3s-agent']],
    )
  })

  it('ref 75, ref 96: a claim without uid is that of the NodeClaim which has the name now', () => {
    const sshHost = anSSHHost({ status: { state: 'InUse', claimRef: { name: 'workers-abcde' } } })
    const uidAmong = (...nodeClaims: readonly NodeClaim[]) => {
      const [action] = plan([sshHost], [], nodeClaims)
      return action?.kind === 'take-in' && action.record.claim?.uid
    }
    assert.equal(uidAmong(aNodeClaim({ name: 'workers-other' }), aNodeClaim()), 'uid-1')
    assert.equal(uidAmong(aNodeClaim({ name: 'workers-other' })), '')
  })

  it('notes what changed, and nothing when nothing changed', () => {
    assert.deepEqual(plan([anSSHHost()], [aHost()]), [])
    const [action] = plan([anSSHHost({ spec: { user: 'ops' } })], [aHost()])
    assert.equal(action?.kind, 'note')
  })

  it('ref 100, ref 103: wants a look where a host is reached in another way, or comes back from maintenance', () => {
    const isLookDue = (sshHost: SSHHost, record: HostRecord) => {
      const [action] = plan([sshHost], [record])
      return action?.kind === 'note' && action.isLookDue
    }
    assert.equal(isLookDue(anSSHHost({ spec: { user: 'ops' } }), aHost()), true)
    assert.equal(isLookDue(anSSHHost({ spec: { address: '192.0.2.9' } }), aHost()), true)
    assert.equal(isLookDue(anSSHHost(), aHost({ state: 'Maintenance', maintenance: true })), true)
    assert.equal(isLookDue(anSSHHost({ spec: { user: 'ops' } }), aJoinedHost()), false)
    const annotations = { 'karpenter.dklesev.github.io/maintenance': '' }
    assert.equal(isLookDue(anSSHHost({ metadata: { annotations } }), aHost()), false)
  })

  it('forgets a host without SSHHost only when nothing is owed', () => {
    assert.deepEqual(
      plan([], [aHost()]).map(({ kind }) => kind),
      ['forget'],
    )
    assert.deepEqual(plan([], [aJoinedHost()]), [])
    assert.deepEqual(plan([], [aHost({ cluster: 'another' })]), [])
  })
})

describe('findTwins', () => {
  it('finds one machine under two names by its address', () => {
    const twins = findTwins([
      aHost({ name: 'a' }),
      aHost({ name: 'b' }),
      aHost({ name: 'c', address: '192.0.2.3' }),
    ])
    assert.deepEqual([...twins.values()].sort(), ['a', 'b'])
  })

  it('finds one machine under two addresses by its host key', () => {
    const hostKeys = [{ type: 'ssh-ed25519', fingerprint: `SHA256:${'A'.repeat(43)}` }]
    const twins = findTwins([
      aHost({ name: 'a', hostKeys }),
      aHost({ name: 'b', address: '192.0.2.2', hostKeys }),
    ])
    assert.equal(twins.size, 2)
  })

  it('does not take two ports of one address for one machine', () => {
    assert.equal(findTwins([aHost({ name: 'a' }), aHost({ name: 'b', port: 2222 })]).size, 0)
  })
})

describe('planHostStatus', () => {
  it('writes what the record says, and nothing a second time', () => {
    const sshHost = anSSHHost()
    const status = planHostStatus(sshHost, aHost({ probedAtMs: t0 }), t0)
    assert.ok(status)
    const written = { ...sshHost, status } as SSHHost
    assert.equal(planHostStatus(written, aHost({ probedAtMs: t0 }), t0 + 60_000), undefined)
  })

  it('takes back a claim that ended', () => {
    const status = { state: 'InUse', claimRef: { name: 'x', uid: 'u' } } as const
    const patch = planHostStatus(anSSHHost({ status }), aHost(), t0)
    assert.equal(patch !== undefined && 'claimRef' in patch && patch.claimRef, null)
  })

  it('does not write every probe that saw nothing new', () => {
    const sshHost = anSSHHost()
    const first = planHostStatus(sshHost, aHost({ probedAtMs: t0 }), t0)
    const written = { ...sshHost, status: first } as SSHHost
    assert.equal(planHostStatus(written, aHost({ probedAtMs: t0 + 120_000 }), t0 + 120_000), undefined)
    assert.notEqual(planHostStatus(written, aHost({ probedAtMs: t0 + 600_000 }), t0 + 600_000), undefined)
  })
})
