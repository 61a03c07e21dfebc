import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  aClaim,
  aClaimedHost,
  aHost,
  aJoinedHost,
  aRun,
  probed,
  t0,
} from '../../test/support/builders/hosts.ts'
import { after, answer } from '../../test/support/builders/transitions.ts'
import type { HostEvent } from './host-event.ts'
import type { HostRecord } from './host-record.ts'
import { isZombie } from './probe-rules.ts'

const unreachable: HostEvent = {
  kind: 'probe-failed',
  reason: 'ConnectTimeout',
  message: 'no answer in 15 s',
}
const zombie: HostEvent = { kind: 'zombie-found' }

function verdict(host: HostRecord, event: HostEvent): string {
  const next = after(host, event, t0)
  return next.reason === undefined ? next.state : `${next.state}/${next.reason}`
}

describe('probed', () => {
  it('makes a new host Available and takes it in with what was seen', () => {
    const host = after(aHost({ state: 'Pending', takenIn: false }), probed({ clockSkewMs: 60_000 }), t0)
    assert.equal(host.state, 'Available')
    assert.equal(host.takenIn, true)
    assert.deepEqual(host.capacity, { cpu: 4, memoryBytes: 8_589_934_592 })
    assert.equal(host.arch, 'amd64')
    assert.equal(host.probedAtMs, t0)
  })

  it('heals a host that could not be reached', () => {
    const host = after(aHost({ state: 'Unhealthy', reason: 'ConnectTimeout', probeError: 'x' }), probed(), t0)
    assert.equal(host.state, 'Available')
    assert.equal(host.reason, undefined)
    assert.equal(host.probeError, undefined)
  })

  it('only notes what it saw of a host that was claimed or started on in the meantime', () => {
    const claimed = after(aJoinedHost(), probed({ agent: 'active' }), t0)
    assert.equal(claimed.state, 'InUse')
    assert.equal(claimed.agent, 'active')
    const leaving = aHost({ state: 'Leaving', leavePending: true, run: aRun({ phase: 'leave' }) })
    assert.equal(after(leaving, probed(), t0).state, 'Leaving')
  })

  it('POOL-09: never offers a host that owes a leave, however clean it looks', () => {
    assert.equal(
      verdict(aHost({ state: 'Unhealthy', leavePending: true }), probed()),
      'Unhealthy/LeavePending',
    )
    assert.equal(verdict(aHost({ state: 'Pending', leavePending: true }), probed()), 'Unhealthy/LeavePending')
    assert.equal(verdict(aHost({ state: 'Leaving', leavePending: true }), probed()), 'Leaving')
  })

  it('ref 15.11: sees a zombie in an agent that is active or still activating, by the table or by the host', () => {
    const installed = aHost({ installed: 'demo@1' })
    assert.equal(verdict(installed, probed({ agent: 'active' })), 'Unhealthy/ZombieAgent')
    assert.equal(verdict(installed, probed({ agent: 'activating' })), 'Unhealthy/ZombieAgent')
    assert.equal(verdict(aHost(), probed({ agent: 'active', isOursOnHost: true })), 'Unhealthy/ZombieAgent')
  })

  it('parks a foreign agent and says that it is one', () => {
    const host = after(aHost(), probed({ agent: 'active' }), t0)
    assert.equal(host.state, 'Unhealthy')
    assert.equal(host.reason, 'ForeignKubelet')
    assert.match(host.message ?? '', /foreign membership/)
    assert.equal(host.leavePending, false)
  })

  it('takes an agent that is inactive, failed or unknown for none', () => {
    for (const agent of ['inactive', 'failed', 'unknown'] as const) {
      assert.equal(verdict(aHost({ installed: 'demo@1' }), probed({ agent })), 'Available')
    }
  })

  it('ref 15.9: does not offer a host that shows no capacity', () => {
    for (const capacity of [
      { cpu: 0, memoryBytes: 0 },
      { cpu: 0, memoryBytes: 1024 },
      { cpu: 4, memoryBytes: 0 },
      { cpu: Number.NaN, memoryBytes: 1024 },
    ]) {
      assert.equal(verdict(aHost(), probed({ capacity })), 'Unhealthy/ProbeIncomplete')
    }
  })

  it('DDB-09: does not offer a host whose clock is off by more than a minute, in either direction', () => {
    assert.equal(verdict(aHost(), probed({ clockSkewMs: 60_001 })), 'Unhealthy/ClockSkew')
    assert.equal(verdict(aHost(), probed({ clockSkewMs: -172_800_000 })), 'Unhealthy/ClockSkew')
  })

  it('ref 15.7: keeps a host that failed a phase Unhealthy until its back-off has passed', () => {
    const failures = { count: 1, lastReason: 'JoinFailed', lastMessage: 'exit 1', notBeforeMs: t0 + 1 }
    assert.equal(verdict(aHost({ state: 'Unhealthy', failures }), probed()), 'Unhealthy/JoinFailed')
    const waited = { ...failures, notBeforeMs: t0 }
    assert.equal(verdict(aHost({ state: 'Unhealthy', failures: waited }), probed()), 'Available')
  })

  it('offers a host whose last failure was not its fault', () => {
    const failures = { count: 0, lastReason: 'SecretMissing', lastMessage: '', notBeforeMs: t0 + 1 }
    assert.equal(verdict(aHost({ failures }), probed()), 'Available')
  })

  it('leaves maintenance and quarantine as they are', () => {
    assert.equal(verdict(aHost({ state: 'Maintenance', maintenance: true }), probed()), 'Maintenance')
    const quarantine = { reason: 'HostKeyChanged', message: 'another key' }
    assert.equal(verdict(aHost({ state: 'Pending', quarantine }), probed()), 'Unhealthy/HostKeyChanged')
  })

  it('catches up with the highest fence its host has seen, unless that is absurd or not ours', () => {
    const ours = { isOursOnHost: true }
    assert.equal(
      after(aHost({ fence: 7 }), probed({ ...ours, hostFence: 1_767_225_700 }), t0).fence,
      1_767_225_700,
    )
    assert.equal(
      after(aHost({ fence: 7 }), probed({ ...ours, hostFence: 1_767_312_000 }), t0).fence,
      1_767_312_000,
    )
    assert.equal(after(aHost({ fence: 7 }), probed({ ...ours, hostFence: 1_767_312_001 }), t0).fence, 7)
    assert.equal(after(aHost({ fence: 7 }), probed({ hostFence: 1_767_225_700 }), t0).fence, 7)
  })
})

describe('probed, for a leave that a rebuilt record guessed', () => {
  const guessed = { installed: undefined, leaveRecipe: undefined, takenIn: false } as const

  it('is refuted where nothing of ours is known or on the host, and its agent is down', () => {
    const held = after(aClaimedHost({ ...guessed, leavePending: true }), probed(), t0)
    assert.deepEqual([held.state, held.leavePending, held.takenIn], ['Claimed', false, true])
    const free = after(aHost({ ...guessed, state: 'Pending', leavePending: true }), probed(), t0)
    assert.deepEqual([free.state, free.leavePending], ['Available', false])
    const leaving = after(aHost({ ...guessed, state: 'Leaving', leavePending: true }), probed(), t0)
    assert.equal(after(leaving, probed(), t0).state, 'Available')
  })

  it('POOL-09: stays owed where anything speaks for it', () => {
    const owing = aHost({ ...guessed, state: 'Pending', leavePending: true })
    const owes = (host: HostRecord, event: HostEvent) => after(host, event, t0).leavePending
    assert.equal(owes(owing, probed({ isOursOnHost: true })), true)
    assert.equal(owes(owing, probed({ agent: 'activating' })), true)
    assert.equal(owes({ ...owing, installed: 'demo@1' }, probed()), true)
    assert.equal(owes({ ...owing, leaveRecipe: 'recipe-1' }, probed()), true)
    assert.equal(owes({ ...owing, takenIn: true }, probed()), true)
  })
})

describe('probe-failed', () => {
  it('makes a free host Unhealthy with the reason and no back-off', () => {
    const host = after(aHost(), unreachable, t0)
    assert.equal(host.state, 'Unhealthy')
    assert.equal(host.reason, 'ConnectTimeout')
    assert.equal(host.probeError, 'ConnectTimeout: no answer in 15 s')
    assert.equal(host.failures, undefined)
  })

  it('EKS-22: does not touch the state of a host that is claimed', () => {
    assert.equal(after(aJoinedHost(), unreachable, t0).state, 'InUse')
  })

  it('keeps what was seen before', () => {
    const capacity = { cpu: 2, memoryBytes: 1024 }
    assert.deepEqual(after(aHost({ capacity }), unreachable, t0).capacity, capacity)
  })
})

describe('isZombie', () => {
  const zombieHost = aHost({ agent: 'active', installed: 'demo@1' })

  it('holds if and only if nobody holds the host, nothing runs, its agent is alive and it is ours', () => {
    assert.equal(isZombie(zombieHost), true)
    assert.equal(isZombie({ ...zombieHost, claim: aClaim() }), false)
    assert.equal(isZombie({ ...zombieHost, run: aRun({ phase: 'leave' }) }), false)
    assert.equal(isZombie({ ...zombieHost, agent: 'inactive' }), false)
    assert.equal(isZombie(aHost({ agent: 'active' })), false)
  })

  it('knows ours by the table, by an owed leave and by the host', () => {
    assert.equal(isZombie(aHost({ agent: 'activating', leavePending: true })), true)
    assert.equal(isZombie(aHost({ agent: 'activating', isOursOnHost: true })), true)
    assert.equal(isZombie(aHost({ agent: 'activating', isOursOnHost: false })), false)
  })
})

describe('zombie-found', () => {
  const seen = aHost({ state: 'Unhealthy', agent: 'active', installed: 'demo@1' })

  it('owes a leave and takes the host out of reach of claims', () => {
    const host = after(seen, zombie, t0)
    assert.equal(host.state, 'Leaving')
    assert.equal(host.leavePending, true)
  })

  it('SQS-19: changes nothing the second time', () => {
    assert.equal(answer(after(seen, zombie, t0), zombie, t0), 'unchanged')
  })

  it('SQS-07: is refused when the host was claimed or started on since it was looked at', () => {
    assert.equal(answer(aClaimedHost({ agent: 'active' }), zombie, t0), 'held-by-another')
    assert.equal(answer({ ...seen, run: aRun({ phase: 'leave' }) }, zombie, t0), 'run-in-progress')
  })

  it('is refused for a foreign agent, a quiet one, a parked host and one not taken in', () => {
    assert.equal(answer(aHost({ agent: 'active' }), zombie, t0), 'not-applicable')
    assert.equal(answer(aHost({ agent: 'inactive', installed: 'demo@1' }), zombie, t0), 'not-applicable')
    assert.equal(answer({ ...seen, maintenance: true }, zombie, t0), 'in-maintenance')
    assert.equal(answer({ ...seen, takenIn: false }, zombie, t0), 'not-taken-in')
  })

  it('POOL-04: waits out the back-off of a leave that failed', () => {
    const failures = { count: 0, lastReason: 'LeaveFailed', lastMessage: '', notBeforeMs: t0 + 60_000 }
    const host = { ...seen, leavePending: true, leaveAttempts: 2, failures }
    assert.equal(answer(host, zombie, t0), 'backing-off')
    assert.equal(after(host, zombie, t0 + 60_000).leaveAttempts, 2)
  })
})
