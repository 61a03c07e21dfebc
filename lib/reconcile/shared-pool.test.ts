// Two clusters that name the same pool: one table, two reconciles, each with its own objects.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClusters } from '../../test/support/fakes/kubernetes.ts'
import { fakeScope } from '../../test/support/fakes/log.ts'
import {
  anInventoryHost,
  aReconcileWorld,
  putMember,
  putPendingPod,
  type ReconcileWorld,
} from '../../test/support/worlds/reconcile-world.ts'
import { aClaim, aHostKey, t0 } from '../../test/support/builders/hosts.ts'
import { sshHosts } from '../kubernetes/resources.ts'
import { makeReconcile, type ReconcileCounts } from './reconcile.ts'

interface Neighbors {
  readonly lab: ReconcileWorld
  readonly east: ReconcileWorld
  /** One activation of the cluster east on the table of lab. */
  readonly reconcileEast: () => Promise<ReconcileCounts>
}

function neighbors(hosts: readonly string[]): Neighbors {
  const lab = aReconcileWorld({ hosts })
  const east = aReconcileWorld({ hosts: [] })
  for (const name of hosts) {
    const spec = { pool: 'lab', sshKeySecretRef: { name: 'key-of-east' } }
    east.kubernetes.put(sshHosts, anInventoryHost(name, { spec }))
  }
  const reconcile = makeReconcile({
    ...east.deps,
    clusters: fakeClusters({ east: east.kubernetes }),
    hosts: lab.hosts,
    changeHost: lab.deps.changeHost,
    bindings: lab.deps.bindings,
    clock: lab.clock,
  })
  return {
    lab,
    east,
    async reconcileEast() {
      const { log, ...scope } = fakeScope(lab.clock)
      const message = await east.observe({ cluster: 'east' })
      return reconcile(message, { ...scope, log, deadlineAtMs: lab.clock.nowMs() + 60_000 })
    },
  }
}

describe('clusters that share a pool', () => {
  it('POOL-02: never claim one host twice, however their activations meet', async () => {
    const { lab, east, reconcileEast } = neighbors(['h1', 'h2'])
    for (const pod of ['a', 'b']) {
      putPendingPod(lab, pod, { cpu: '3' })
      putPendingPod(east, pod, { cpu: '3' })
    }
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([lab.reconcile(), reconcileEast()])
      lab.clock.advance(30_000)
    }
    const holders = lab.hosts.records.map(({ claim }) => claim?.uid)
    assert.equal(new Set(holders).size, 2)
    assert.ok(!holders.includes(undefined))
    const claims = [...(await lab.nodeClaims()), ...(await east.nodeClaims())]
    const launched = claims.filter(({ status }) => (status?.providerID ?? '') !== '')
    assert.deepEqual(new Set(launched.map(({ metadata }) => metadata.uid)), new Set(holders))
  })

  it('leave a host to the cluster that it is tied to: its key, its projection, its NodeClaim', async () => {
    const { lab, east, reconcileEast } = neighbors(['h1'])
    await putMember(lab, 'h1', { claim: aClaim({ nodeClaim: 'of-h1', uid: 'uid-of-h1', joinedAtMs: t0 }) })
    await reconcileEast()
    assert.equal(lab.record('h1').sshKeySecret, 'ssh-key')
    assert.equal(lab.record('h1').cluster, 'lab')
    const shown = await east.kubernetes.get(sshHosts, 'h1', 'kpssh-system')
    assert.deepEqual([shown?.status?.state, shown?.status?.claimRef], ['InUse', undefined])
  })

  it('POOL-17: rebuild a lost table without taking each other for gone', async () => {
    const { lab, reconcileEast } = neighbors(['h1'])
    await putMember(lab, 'h1')
    await Promise.all([lab.reconcile(), reconcileEast()])
    await reconcileEast()
    const { key, version } = lab.record('h1')
    await lab.hosts.remove(key, version)
    await reconcileEast()
    assert.equal(await lab.hosts.get(aHostKey('h1')), undefined)
    await lab.reconcile()
    assert.deepEqual([lab.record('h1').claim?.uid, lab.record('h1').cluster], ['uid-of-h1', 'lab'])
  })
})
