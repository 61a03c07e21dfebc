import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHost, aJoinedHost, t0 } from '../../test/support/builders/hosts.ts'
import { aNodeClaim, anSSHHost } from '../../test/support/builders/kubernetes.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { planInventory } from './plan-inventory.ts'

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

  it('leaves a host of a shared pool that another cluster holds to that cluster to take in', () => {
    const held = { status: { state: 'InUse' } } as const
    assert.deepEqual(plan([anSSHHost({ ...held, spec: { pool: 'shared' } })], []), [])
    assert.equal(plan([anSSHHost(held)], []).length, 1)
    const ours = { state: 'InUse', claimRef: { name: 'workers-abcde', uid: 'uid-1' } } as const
    assert.equal(plan([anSSHHost({ status: ours, spec: { pool: 'shared' } })], []).length, 1)
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

  it('takes in a host whose SSHHost is being deleted only if it is held: it was a member', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    const status = { state: 'InUse', claimRef: { name: 'workers-abcde', uid: 'uid-1' } } as const
    const going = (...finalizers: readonly string[]) =>
      plan([anSSHHost({ metadata: { deletionTimestamp, finalizers: [...finalizers] }, status })], [])
    assert.deepEqual(going(), [])
    assert.deepEqual(
      going('karpenter.dklesev.github.io/membership').map(({ kind }) => kind),
      ['take-in'],
    )
  })

  it('POOL-09: takes in a held host without a claim as one that owes a leave', () => {
    const status = { state: 'Unhealthy', installedProfile: 'demo@1' } as const
    const owes = (...finalizers: readonly string[]) => {
      const [action] = plan([anSSHHost({ metadata: { finalizers: [...finalizers] }, status })], [])
      return action?.kind === 'take-in' && action.record.leavePending
    }
    assert.deepEqual([owes(), owes('karpenter.dklesev.github.io/membership')], [false, true])
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
