// Explicit races: the rival acts between our look and our act, or while we stand still.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LostRaceError } from '../errors/lost-race-error.ts'
import { newHostRecord } from '../hosts/new-host-record.ts'
import { projectHostStatus } from '../hosts/project-host-status.ts'
import { nodeClaims } from '../kubernetes/resources.ts'
import { aClaim, anInventory, aRun, t0 } from '../../test/support/builders/hosts.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import { aMember, aWarmHost, makePhaseWorld, type PhaseWorld } from '../../test/support/worlds/phase-world.ts'

const join = aRunPhase({ phase: 'join' })
const leave = aRunPhase({ phase: 'leave' })

/** Lets a rival act once, at the first request of that kind. */
function rivalAt(world: PhaseWorld, request: string, act: () => unknown): void {
  world.kubernetes.before = async (verb, plural) => {
    if (`${verb} ${plural}` !== request) return
    world.kubernetes.before = undefined
    await act()
  }
}
/** Lets a rival act once, while our start is on its way to the host. */
function rivalAtStart(world: PhaseWorld, act: () => unknown): void {
  const start = world.fleet.start.bind(world.fleet)
  Object.assign(world.fleet, {
    start: async (...call: Parameters<typeof start>) => {
      Object.assign(world.fleet, { start })
      await act()
      return start(...call)
    },
  })
}
function phases(world: PhaseWorld): readonly string[] {
  return world.machine().executed.map(({ phase }) => phase)
}

describe('between look and act', () => {
  it('POOL-02: another delivery joined the host: ours starts nothing', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    rivalAt(world, 'get sshjoinprofiles', () => world.deliver(join))
    assert.deepEqual(await world.deliver(join), { kind: 'dropped', reason: 'not-applicable', facts: {} })
    assert.deepEqual(phases(world), ['join'])
  })

  it('another delivery has just started the join: ours stops at the record', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.putProfile({ join: 'sleep 200' })
    rivalAt(world, 'get sshjoinprofiles', () => world.deliver(join))
    assert.deepEqual(await world.deliver(join), { kind: 'dropped', reason: 'run-in-progress', facts: {} })
    assert.deepEqual(phases(world), ['join'])
  })

  it('the claim ended and another NodeClaim took the host: ours touches neither', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    rivalAt(world, 'get sshjoinprofiles', async () => {
      await world.deps.changeHost(join.host, { kind: 'released', uid: 'uid-1', isClean: true }, 0)
      const claim = aClaim({ uid: 'uid-2', nodeClaim: 'workers-fghij' })
      await world.deps.changeHost(join.host, { kind: 'claimed', claim }, world.clock.nowMs())
    })
    assert.deepEqual(await world.deliver(join), { kind: 'dropped', reason: 'claim-changed', facts: {} })
    assert.deepEqual(phases(world), [])
    assert.equal(world.record().claim?.uid, 'uid-2')
    assert.deepEqual(world.tokens(), [])
  })

  it('POOL-11: the host was released and claimed anew: a leave that was on its way runs nothing', async () => {
    const world = makePhaseWorld({ hosts: [aMember()] })
    rivalAt(world, 'get secrets', () => {
      const claim = aClaim({ uid: 'uid-2', joinedAtMs: 5 })
      world.hosts.put({ ...world.record(), claim, version: world.record().version + 1 })
    })
    assert.deepEqual(await world.deliver(leave), { kind: 'dropped', reason: 'claim-changed', facts: {} })
    assert.deepEqual(phases(world), [])
  })

  it('the host was quarantined: ours sends nothing', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    rivalAt(world, 'get sshjoinprofiles', () =>
      world.deps.changeHost(join.host, { kind: 'quarantined', reason: 'HostKeyChanged', message: 'm' }, 0),
    )
    assert.deepEqual(await world.deliver(join), { kind: 'dropped', reason: 'quarantined', facts: {} })
    assert.equal(world.machine().contacts, 0)
  })
})

describe('side by side', () => {
  it('POOL-02: of many deliveries at once, one run reaches the host', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => world.deliver(join)))
    assert.deepEqual(phases(world), ['join'])
    assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1)
    assert.equal(world.record().state, 'InUse')
  })
})

describe('an owner that wakes up late', () => {
  it('DDB-04: its start finds the run that another one carried out in the meantime', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    rivalAtStart(world, async () => {
      world.clock.advance(150_000)
      await world.deliver(join)
      await world.deliver(leave)
    })
    await world.deliver(join)
    assert.deepEqual(phases(world), ['join', 'leave'])
    assert.equal(world.machine().agent, 'inactive')
    assert.equal(world.record().state, 'Available')
    assert.deepEqual(world.tokens(), [])
  })

  it('JOIN-02: takes its token back if its id was collected before the Secret was there', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    rivalAt(world, 'create secrets', async () => {
      world.clock.advance(150_000)
      await world.deliver(join)
      await world.deliver(leave)
    })
    await assert.rejects(world.deliver(join), LostRaceError)
    assert.deepEqual(phases(world), ['join', 'leave'])
    assert.deepEqual(world.tokens(), [])
    assert.deepEqual(world.record().tokenIDs, [])
  })

  it('DDB-04: its start is refused by the host once something newer ran there', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    rivalAtStart(world, async () => {
      world.clock.advance(150_000)
      world.kubernetes.vanish(nodeClaims, 'workers-abcde')
      await world.deliver(join)
      await world.drain()
    })
    const outcome = await world.deliver(join)
    assert.deepEqual(outcome, { kind: 'dropped', reason: 'AnotherRun', facts: {} })
    assert.deepEqual(phases(world), ['leave'])
    assert.equal(world.machine().agent, 'inactive')
  })

  it('cannot take back a start that another one has carried on', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.putProfile({ join: 'sleep 400', timeouts: { join: '20m' } })
    rivalAt(world, 'create secrets', async () => {
      world.clock.advance(150_000)
      await world.deliver(join)
      world.machine().faults.push('refuses-connect')
    })
    const outcome = await world.deliver(join)
    assert.deepEqual(outcome, { kind: 'dropped', reason: 'AnotherRun', facts: {} })
    assert.equal(world.record().run?.phase, 'join')
    assert.equal(world.record().leavePending, true)
  })

  it('DDB-06: stops watching when somebody else has taken the run over', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 100' })
    const attach = world.fleet.attach.bind(world.fleet)
    Object.assign(world.fleet, {
      attach: async (...call: Parameters<typeof attach>) => {
        const reported = await attach(...call)
        const record = world.record()
        const run = {
          ...aRun(),
          ...record.run,
          holder: 'another',
          leaseUntilMs: world.clock.nowMs() + 90_000,
        }
        world.hosts.put({ ...record, run, version: record.version + 1 })
        return reported
      },
    })
    const outcome = await world.deliver(aRunPhase({ phase: 'install' }), { deadlineAtMs: t0 + 900_000 })
    assert.deepEqual(outcome, { kind: 'dropped', reason: 'lease-valid', facts: {} })
    world.sender.assertIdle()
  })
})

describe('the world changes between two deliveries', () => {
  it('the profile got a new version after install: join sends back to install, once', async () => {
    const world = makePhaseWorld()
    await world.deliver(aRunPhase({ phase: 'install' }))
    world.putProfile({ version: '2' })
    await world.drain()
    assert.deepEqual(phases(world), ['install', 'install', 'join'])
    assert.equal(world.record().installed, 'demo@2')
    assert.equal(world.record().state, 'InUse')
  })

  it('the SSHHost was made anew for another machine: leave goes to the one that joined', async () => {
    const world = makePhaseWorld({ hosts: [aMember()] })
    world.machine().agent = 'active'
    const old = world.machine()
    const inventory = anInventory({ address: '192.0.2.99', sshKeySecret: 'other-key' })
    await world.deps.changeHost(join.host, { kind: 'inventory-seen', inventory }, world.clock.nowMs())
    await world.deliver(leave)
    assert.deepEqual(
      old.executed.map(({ phase }) => phase),
      ['leave'],
    )
    assert.equal(world.fleet.host('192.0.2.99').contacts, 0)
    const seen = await world.deps.changeHost(join.host, { kind: 'inventory-seen', inventory }, 0)
    assert.equal(seen.record?.address, '192.0.2.99')
    assert.equal(seen.record.state, 'Pending')
  })

  it('POOL-17: the table was lost in the middle of a join: the rebuilt one never runs two at once, and the host comes home', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.putProfile({ join: 'sleep 100\nsystemctl enable --now kubelet' })
    await world.deliver(join)
    const { key, version, ...before } = world.record()
    const status = projectHostStatus({ key, version, ...before }, world.clock.nowMs())
    await world.hosts.remove(key, version)
    world.sender.take('join')
    await world.hosts.create(newHostRecord(key, anInventory(), status))
    assert.equal(world.record().claim?.uid, 'uid-1')
    await world.deliver(join)
    await world.drain()
    assert.equal(world.record().state, 'InUse')
    // What was installed is known, with which vars is not.
    assert.deepEqual(phases(world), ['join', 'install', 'join'])
    assert.ok((world.machine().executed[1]?.startedAtMs ?? 0) >= t0 + 100_000)
    await world.deliver(leave)
    await world.drain()
    assert.deepEqual([world.record().claim, world.record().leavePending], [undefined, false])
  })
})
