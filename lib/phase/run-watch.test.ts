import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aRun, t0 } from '../../test/support/builders/hosts.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import { aColdHost, aMember, aWarmHost, makePhaseWorld } from '../../test/support/worlds/phase-world.ts'

const install = aRunPhase({ phase: 'install' })
const join = aRunPhase({ phase: 'join' })

describe('watching a run', () => {
  it('SQS-26: an install of 25 minutes is watched by many short invocations and started once', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 1500', timeouts: { install: '30m' } })
    const first = await world.deliver(install)
    assert.equal(first.kind, 'watching')
    const outcomes = await world.drain()
    assert.ok(outcomes.filter(({ kind }) => kind === 'watching').length > 20)
    assert.deepEqual(
      world.machine().executed.map(({ phase }) => phase),
      ['install', 'join'],
    )
    assert.equal(world.record().state, 'InUse')
  })

  it('renews the lease between slices of at most 20 s', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 1500', timeouts: { install: '30m' } })
    await world.deliver(install)
    assert.ok(world.clock.waits.every((waitMs) => waitMs <= 20_000))
    assert.ok(world.hosts.causes.filter((cause) => cause === 'run-watched').length >= 2)
  })

  it('stops before the invocation ends and gives the lease back, so that the next goes on at once', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 300' })
    await world.deliver(install)
    assert.ok(world.clock.nowMs() < t0 + 60_000)
    const [next] = world.sender.take('install')
    assert.equal(next?.message.type === 'RunPhase' && next.message.runId, world.record().run?.id)
    assert.ok((world.record().run?.leaseUntilMs ?? Infinity) < world.clock.nowMs())
  })

  it('keeps the message worth delivering for as long as the run may take', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 5400', timeouts: { install: '2h' } })
    await world.deliver(install)
    const [next] = world.sender.take('install')
    assert.equal(next?.message.type === 'RunPhase' && next.message.deadlineAtMs, t0 + 7_200_000 + 180_000)
  })

  it('starts nothing that the invocation could not see through its first contact', async () => {
    const world = makePhaseWorld()
    const outcome = await world.deliver(install, { deadlineAtMs: t0 + 10_000 })
    assert.equal(outcome.kind, 'retry-later')
    assert.equal(world.machine().contacts, 0)
    assert.equal(world.record().run, undefined)
  })

  it('hands the run over at once when it is told to stop', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 300' })
    const stop = new AbortController()
    const start = world.fleet.start.bind(world.fleet)
    world.fleet.start = async (...call) => {
      stop.abort()
      return start(...call)
    }
    const outcome = await world.deliver(install, { signal: stop.signal, deadlineAtMs: t0 + 900_000 })
    assert.equal(outcome.kind, 'watching')
    assert.equal(world.machine().contacts, 1)
  })

  it('a second delivery stops while the lease of the first one holds', async () => {
    const run = aRun({ phase: 'install', holder: 'somebody', leaseUntilMs: t0 + 60_000 })
    const world = makePhaseWorld({ hosts: [aColdHost({ run })] })
    assert.deepEqual(await world.deliver(install), { kind: 'dropped', reason: 'lease-valid', facts: {} })
    assert.equal(world.machine().contacts, 0)
  })

  it('POOL-02: a run whose watcher was killed is collected from the host, not repeated', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.putProfile({ join: 'sleep 50\nsystemctl enable --now kubelet' })
    await world.deliver(join, { deadlineAtMs: t0 + 30_000 })
    world.sender.take('join')
    world.clock.advance(3_600_000)
    await world.deliver(aRunPhase({ phase: 'join', reason: 'Abandoned', deadlineAtMs: t0 + 9_000_000 }))
    assert.equal(world.machine().executed.length, 1)
    assert.equal(world.record().state, 'InUse')
  })

  it('POOL-02: a recorded run that never reached the host is started by the same id and fence', async () => {
    const run = aRun({ id: 'run-5', phase: 'join', fence: 1_767_225_605, leaseUntilMs: t0 - 60_000 })
    const world = makePhaseWorld({ hosts: [aWarmHost({ run, fence: 1_767_225_605, leavePending: true })] })
    await world.deliver(join)
    const [executed] = world.machine().executed
    assert.equal(executed?.runId, 'run-5')
    assert.equal(executed.fence, 1_767_225_605)
    assert.equal(world.record().state, 'InUse')
  })

  it('SSH-31: contact lost in the middle is taken up again by run id', async () => {
    const world = makePhaseWorld()
    world.machine().faults.push('drops-mid-stream', 'drops-mid-stream')
    const first = await world.deliver(install)
    assert.deepEqual(
      { kind: first.kind, reason: first.kind === 'retry-later' && first.reason },
      { kind: 'retry-later', reason: 'Indeterminate' },
    )
    await world.drain()
    assert.deepEqual(
      world.machine().executed.map(({ phase }) => phase),
      ['install', 'join'],
    )
  })

  it('SSH-30: an install that reboots the host is run again under the same claim', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 5\nreboot\nsleep 5' })
    await world.deliver(install)
    world.putProfile({ install: 'exit 0' })
    await world.drain()
    assert.deepEqual(
      world.machine().executed.map(({ phase }) => phase),
      ['install', 'install', 'join'],
    )
    assert.equal(world.record().claim?.uid, 'uid-1')
    assert.equal(world.record().failures, undefined)
  })

  it('SSH-30: an install that reboots the host every time fails after three', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'reboot\nsleep 5' })
    await world.deliver(install)
    await world.drain()
    assert.equal(world.machine().executed.length, 3)
    assert.equal(world.record().reason, 'HostRebooted')
  })

  it('SSH-30: a join cut off by a reboot fails, and leave takes back what it began', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.putProfile({ join: 'systemctl enable --now kubelet\nreboot\nsleep 5' })
    await world.deliver(join)
    assert.equal(world.record().claim?.failure?.reason, 'HostRebooted')
    await world.drain()
    assert.equal(world.machine().agent, 'inactive')
    assert.equal(world.record().leavePending, false)
  })

  it('a host that is never heard of again during a join ends as indeterminate, and leave stays owed', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.machine().faults.push('drops-mid-stream', ...Array<'refuses-connect'>(200).fill('refuses-connect'))
    await world.deliver(join)
    await world.drain()
    const joined = world.history.entries.find(({ facts }) => facts.phase === 'join')
    assert.equal(joined?.facts.outcome, 'indeterminate')
    assert.equal(world.record().state, 'Unhealthy')
    assert.equal(world.record().leavePending, true)
    assert.equal(world.record().claim, undefined)
  })

  it('records what was installed as it was at the start, though the profile changed meanwhile', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 90' })
    await world.deliver(install)
    world.putProfile({ version: '2', install: 'sleep 1' })
    const [next] = world.sender.take('install')
    assert.ok(next?.message.type === 'RunPhase')
    await world.deliver(next.message)
    assert.equal(world.record().installed, 'demo@1')
    await world.drain()
    assert.equal(world.record().installed, 'demo@2')
  })
})

describe('a busy host', () => {
  it('lets a leave wait for the join that is going', async () => {
    const run = aRun({ phase: 'join', leaseUntilMs: t0 + 60_000 })
    const world = makePhaseWorld({ hosts: [aWarmHost({ run, leavePending: true })] })
    const outcome = await world.deliver(aRunPhase({ phase: 'leave' }))
    assert.deepEqual(
      { kind: outcome.kind, reason: outcome.kind === 'retry-later' && outcome.reason },
      {
        kind: 'retry-later',
        reason: 'RunInProgress',
      },
    )
    const [next] = world.sender.take('leave')
    assert.equal(next?.message.type === 'RunPhase' && next.message.attempt, 1)
    assert.ok((next?.delaySeconds ?? 0) >= 15)
  })

  it('sends a request that waited past its deadline to the dead-letter queue, with the reason', async () => {
    const run = aRun({ phase: 'join', leaseUntilMs: t0 + 60_000 })
    const world = makePhaseWorld({ hosts: [aWarmHost({ run, leavePending: true })] })
    const outcome = await world.deliver(aRunPhase({ phase: 'leave', deadlineAtMs: t0 }))
    assert.equal(outcome.kind, 'dead')
    assert.equal(world.sender.deadLetters[0]?.reason, 'RunInProgress')
    world.sender.assertIdle()
  })

  it('asks a host that never waits for the end no more than every other second', async () => {
    let contacts = 0
    const hasty = () => {
      contacts += 1
      return Promise.resolve({ report: { kind: 'running', offset: 0, bootID: 'b' } as const, hostKeys: [] })
    }
    const runs = { start: hasty, attach: hasty, probe: () => assert.fail('no probe') }
    const world = makePhaseWorld({ runs })
    assert.equal((await world.deliver(install)).kind, 'watching')
    assert.ok(contacts > 1 && contacts <= 30, String(contacts))
  })

  it('SSH-31: waits for a run that the host still carries out for somebody', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 100' })
    await world.deliver(install)
    // The table lost the run; the host did not.
    const forgetful = { ...world.record(), fence: world.record().fence + 10 }
    delete forgetful.run
    world.hosts.put(forgetful)
    world.sender.take('install')
    await world.deliver(install)
    await world.drain()
    assert.deepEqual(
      world.machine().executed.map(({ phase }) => phase),
      ['install', 'install', 'join'],
    )
    assert.equal(world.record().state, 'InUse')
  })

  it('catches up when the host has seen a higher fence than the table', async () => {
    const world = makePhaseWorld({ hosts: [aMember()] })
    world.machine().agent = 'active'
    world.machine().installation = { id: 'installation-1', fence: 1_767_225_900 }
    await world.deliver(aRunPhase({ phase: 'leave' }))
    await world.drain()
    assert.equal(world.machine().executed[0]?.fence, 1_767_225_901)
    assert.equal(world.record().state, 'Available')
  })
})
