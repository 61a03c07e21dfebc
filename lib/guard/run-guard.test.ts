import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaimedHost, aHost, aHostKey, aJoinedHost, aRun, t0 } from '../../test/support/builders/hosts.ts'
import { fakeClusterItems } from '../../test/support/fakes/clusters.ts'
import { fakeScope } from '../../test/support/fakes/log.ts'
import { isTrueNow } from '../../test/support/builders/kubernetes.ts'
import { aGuardWorld, type GuardWorld } from '../../test/support/worlds/guard-world.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { secrets } from '../kubernetes/resources.ts'
import { makeGuard } from './run-guard.ts'

const lastRun = { id: 'run-0', phase: 'leave', result: 'succeeded', endedAtMs: t0 } as const
const settled = { probedAtMs: t0 }

describe('the guard', () => {
  it('does nothing about a fleet that is well, and says how many hosts it saw', async () => {
    const world = aGuardWorld(aHost(settled), aHost({ ...settled, name: 'h2' }))
    assert.deepEqual(await world.guard(world.scope), {
      examined: 2,
      probed: 0,
      marked: 0,
      confirmed: 0,
      spared: 0,
      staleClaims: 0,
      resumedRuns: 0,
      collectedTokens: 0,
      errors: 0,
      silentClusters: 0,
    })
    world.sender.assertIdle()
    assert.deepEqual(world.kubernetes.requests, [])
  })

  it('looks after the hosts of every pool', async () => {
    const world = aGuardWorld(aHost(), aHost({ key: { ...aHostKey('h2'), pool: 'shared' } }))
    const counts = await world.guard(world.scope)
    assert.deepEqual([counts.examined, counts.probed], [2, 2])
    assert.deepEqual(
      world.sender.take('probe').map(({ message }) => message.type === 'ProbeHosts' && message.hosts),
      [[aHostKey('h1')], [{ ...aHostKey('h2'), pool: 'shared' }]],
    )
  })

  it('asks for the leave that a host owes, for nobody in particular', async () => {
    const world = aGuardWorld(aHost({ state: 'Leaving', leavePending: true }))
    const counts = await world.guard(world.scope)
    const [leave] = world.sender.take('leave')
    assert.ok(leave?.message.type === 'RunPhase')
    assert.equal(leave.message.nodeClaim, undefined)
    assert.equal(leave.message.runId, undefined)
    assert.equal(leave.message.reason, 'LeavePending')
    assert.deepEqual([counts.marked, counts.confirmed], [1, 1])
    world.sender.assertIdle()
  })

  it('SQS-26: sends an abandoned run to the queue of its phase, to be watched and not started', async () => {
    const run = aRun({ phase: 'install', leaseUntilMs: t0 - 3_600_000 })
    const world = aGuardWorld(aClaimedHost({ run }))
    const counts = await world.guard(world.scope)
    const [resumed] = world.sender.take('install')
    assert.ok(resumed?.message.type === 'RunPhase')
    assert.equal(resumed.message.runId, 'run-1')
    assert.deepEqual(resumed.message.nodeClaim, { name: 'workers-abcde', uid: 'uid-1' })
    assert.equal(counts.resumedRuns, 1)
    world.sender.assertIdle()
  })

  it('collects spent tokens by name, and one that is gone already counts as collected', async () => {
    const world = aGuardWorld(aHost({ ...settled, tokenIDs: ['aaaaaa', 'bbbbbb'] }))
    world.putToken('aaaaaa')
    const counts = await world.guard(world.scope)
    assert.equal(world.kubernetes.raw(secrets, 'bootstrap-token-aaaaaa', 'kube-system'), undefined)
    assert.deepEqual(world.record()?.tokenIDs, [])
    assert.equal(counts.collectedTokens, 2)
  })

  it('EKS-12: asks for the Node that a host left behind to be removed, and removes none itself', async () => {
    const world = aGuardWorld(aHost({ ...settled, lastRun, agent: 'inactive' }))
    world.putNode()
    const counts = await world.guard(world.scope)
    const [leave] = world.sender.take('leave')
    assert.equal(leave?.message.type === 'RunPhase' && leave.message.reason, 'NodeLeftBehind')
    assert.deepEqual(world.kubernetes.requests, ['list nodes/'])
    assert.equal(counts.confirmed, 1)
  })

  it('EKS-12, JOIN-09: does not remove a Ready Node before the agent behind it: the probe comes first, then leave', async () => {
    const world = aGuardWorld(aHost({ ...settled, lastRun, agent: 'inactive', probedAtMs: 0 }))
    world.putNode('kpssh://kpssh-system/h1', [isTrueNow('Ready')])
    await world.guard(world.scope)
    assert.deepEqual([world.sender.take('leave').length, world.sender.take('probe').length], [0, 1])
  })

  it('EKS-12: leaves alone a Node of another providerID at the same address', async () => {
    const world = aGuardWorld(aHost({ ...settled, lastRun, agent: 'inactive' }))
    world.putNode('openstack:///1234')
    await world.guard(world.scope)
    world.sender.assertIdle()
  })

  it('EKS-12: leaves alone the Node of a host that something happened to between look and act', async () => {
    const put = async ({ hosts }: GuardWorld, record: HostRecord) => hosts.put(record)
    const rivals = [
      (world: GuardWorld) => put(world, aClaimedHost({ version: 2 })),
      (world: GuardWorld) => put(world, aHost({ ...settled, lastRun, version: 4, fence: 9 })),
      (world: GuardWorld) => world.hosts.remove(aHostKey(), 1),
    ]
    for (const rival of rivals) {
      const world = aGuardWorld(aHost({ ...settled, lastRun, agent: 'inactive' }))
      world.putNode()
      world.kubernetes.before = async () => {
        await rival(world)
      }
      const counts = await world.guard(world.scope)
      assert.deepEqual([counts.spared, counts.errors], [1, 0])
      world.sender.assertIdle()
    }
  })

  it('goes on when one thing fails, counts it and says what it was', async () => {
    const world = aGuardWorld(aJoinedHost(), aHost({ name: 'h2', state: 'Unhealthy', leavePending: true }))
    world.kubernetes.before = () => {
      throw new Error('unreachable')
    }
    const counts = await world.guard(world.scope)
    assert.equal(counts.errors, 1)
    assert.equal(world.sender.take('leave').length, 1)
    assert.deepEqual(
      world.scope.log.lines.map(({ event, facts }) => [event, facts['action']]),
      [['guard.failed', 'check-claims']],
    )
  })

  it('starts nothing that there is no time for', async () => {
    const world = aGuardWorld(aHost())
    const counts = await world.guard(fakeScope(world.clock, { deadlineAtMs: t0 }))
    assert.deepEqual([counts.probed, counts.errors], [0, 1])
    await world.guard(fakeScope(world.clock, { signal: AbortSignal.abort() }))
    world.sender.assertIdle()
  })

  it('names every cluster whose watcher was not heard for two minutes, or never', async () => {
    const world = aGuardWorld()
    const heartbeats = fakeClusterItems()
    await heartbeats.observed('lab', t0 - 119_999, 'uid')
    await heartbeats.observed('east', t0 - 120_000, 'uid')
    const guard = makeGuard({ ...world.deps, heartbeats, clusterNames: ['lab', 'east', 'west'] })
    const counts = await guard(world.scope)
    assert.equal(counts.silentClusters, 2)
    assert.deepEqual(
      world.scope.log.lines.map(({ level, event, facts }) => [level, event, facts['cluster']]),
      [
        ['error', 'guard.heartbeat-missing', 'east'],
        ['error', 'guard.heartbeat-missing', 'west'],
      ],
    )
  })

  it('SQS-19: two passes at once change the table once', async () => {
    const world = aGuardWorld(aHost({ ...settled, tokenIDs: ['aaaaaa'] }))
    await Promise.all([world.guard(world.scope), world.guard(world.scope)])
    assert.deepEqual(world.hosts.causes, ['token-collected'])
  })
})
