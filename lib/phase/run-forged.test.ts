// Messages that nobody of ours would send: a message is a hint, and whom a host belongs to is in the record.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aHost, aHostKey, aRun } from '../../test/support/builders/hosts.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import { aMember, aWarmHost, makePhaseWorld } from '../../test/support/worlds/phase-world.ts'

const owed = aHost({ state: 'Unhealthy', leavePending: true, installed: 'demo@1' })

describe('a forged message', () => {
  it('in the name of another cluster opens no Secret of that cluster and touches no host', async () => {
    const cases = [
      [owed, aRunPhase({ phase: 'leave', nodeClaim: undefined, cluster: 'east' })],
      [aMember(), aRunPhase({ phase: 'leave', cluster: 'east' })],
      [aWarmHost(), aRunPhase({ phase: 'join', cluster: 'east' })],
      [aHost({ tokenIDs: ['abcdef'] }), aRunPhase({ phase: 'join', cluster: 'east' })],
    ] as const
    for (const [host, message] of cases) {
      const world = makePhaseWorld({ hosts: [host] })
      const outcome = await world.deliver(message)
      assert.deepEqual(outcome, { kind: 'dropped', reason: 'OtherCluster', facts: {} })
      assert.equal(world.machine().contacts, 0)
      assert.deepEqual(world.record(), host)
      assert.deepEqual(world.sender.sent, [])
    }
  })

  it('for a host of another pool or namespace finds no host', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    for (const other of [{ pool: 'east' }, { namespace: 'default' }, { name: '../h1' }]) {
      const outcome = await world.deliver(aRunPhase({ phase: 'join', host: { ...aHostKey(), ...other } }))
      assert.equal(outcome.kind === 'dropped' && outcome.reason, 'UnknownHost')
    }
    assert.equal(world.machine().contacts, 0)
  })

  it('for the NodeClaim of somebody else, or for nobody, does nothing to who holds the host', async () => {
    const world = makePhaseWorld({ hosts: [aMember()] })
    for (const nodeClaim of [
      { name: 'workers-abcde', uid: 'uid-2' },
      { name: 'other', uid: '' },
      undefined,
    ]) {
      for (const phase of ['install', 'join', 'leave'] as const) {
        const outcome = await world.deliver(aRunPhase({ phase, nodeClaim }))
        assert.equal(outcome.kind === 'dropped' && outcome.reason, 'ClaimChanged')
      }
    }
    assert.equal(world.machine().contacts, 0)
  })

  it('by any name of a run watches no other run than the one of the record', async () => {
    const run = aRun({ phase: 'join' })
    const world = makePhaseWorld({ hosts: [aWarmHost({ run, leavePending: true, claim: aClaim() })] })
    for (const runId of ['../../etc/passwd', 'run-2', '$(reboot)'])
      assert.equal((await world.deliver(aRunPhase({ phase: 'join', runId }))).kind, 'dropped')
    assert.equal(world.machine().contacts, 0)
  })

  it('with absurd numbers is tried no longer than any other', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    const absurd = aRunPhase({ phase: 'join', attempt: 1_000_000_000, deadlineAtMs: Number.MAX_SAFE_INTEGER })
    world.machine().faults.push('refuses-connect')
    const outcome = await world.deliver(absurd)
    assert.equal(outcome.kind, 'done')
    assert.equal(world.record().failures?.lastReason, 'ConnectRefused')
    assert.ok(world.sender.sent.every(({ delaySeconds = 0 }) => delaySeconds <= 900))
  })
})
