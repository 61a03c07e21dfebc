// Whatever order messages come in, wherever functions are killed and whatever hosts do: what must never happen does not, and
// once the trouble is over everything comes to rest.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import type { RunPhase } from '../../lib/messages/run-phase.ts'
import type { HostFault } from '../support/fakes/host-runs.ts'
import type { Kill } from '../support/worlds/mortal-deps.ts'
import { aColdHost, aWarmHost, scripts } from '../support/worlds/phase-world.ts'
import { makeWatchedWorld, type WatchedWorld } from '../support/worlds/watched-world.ts'

const joinScripts = {
  succeeds: 'echo "$KPSSH_SECRET_ACTIVATION_CODE"\nsleep 3\nsystemctl enable --now kubelet',
  failsHalfway: 'systemctl enable --now kubelet\necho "$KPSSH_BOOTSTRAP_TOKEN" >&2\nexit 3',
  failsAtOnce: 'exit 4',
  reboots: 'systemctl enable --now kubelet\nreboot',
  takesLong: 'sleep 100\nsystemctl enable --now kubelet',
} as const
const installScripts = {
  succeeds: 'sleep 2',
  takesLong: 'sleep 130',
  fails: 'exit 5',
  reboots: 'reboot',
} as const
const leaveScripts = {
  succeeds: scripts.leave,
  fails: 'exit 6',
  leavesTheAgent: 'exit 0',
  reboots: 'systemctl disable --now kubelet\nreboot',
} as const

interface Trouble {
  readonly isWarm: boolean
  readonly install: keyof typeof installScripts
  readonly join: keyof typeof joinScripts
  readonly leave: keyof typeof leaveScripts
}

function begin({ isWarm, install, join, leave }: Trouble): WatchedWorld {
  const world = makeWatchedWorld({ hosts: [isWarm ? aWarmHost() : aColdHost()] })
  world.putNodeClass({ joinSecretRef: { name: 'activation' } })
  world.putProfile({ install: installScripts[install], join: joinScripts[join], leave: leaveScripts[leave] })
  return world
}

/** The trouble is over: hosts answer, and leave works. */
async function endWell(world: WatchedWorld): Promise<void> {
  world.putProfile({ leave: scripts.leave })
  world.machine().faults.length = 0
  await world.comeToRest()
  world.assertSound()
  const { claim, leavePending, quarantine } = world.record()
  if (claim === undefined) {
    assert.deepEqual(world.tokens(), [])
    if (quarantine === undefined) {
      assert.equal(leavePending, false)
      assert.notEqual(world.machine().agent, 'active')
    }
  } else {
    assert.notEqual(claim.joinedAtMs, undefined)
    assert.equal(world.machine().agent, 'active')
  }
  await redeliverEverything(world)
}

/** Redelivery of all that was ever sent, days later, runs nothing more. */
async function redeliverEverything(world: WatchedWorld): Promise<void> {
  const executed = world.machine().executed.length
  const { state, claim } = world.record()
  world.clock.advance(2 * 24 * 3_600_000)
  for (const message of world.everSent) await world.carry(message)
  await world.comeToRest()
  assert.equal(world.machine().executed.length, executed)
  assert.equal(world.record().state, state)
  assert.deepEqual(world.record().claim, claim)
}

const troubles: readonly Trouble[] = [
  { isWarm: false, install: 'succeeds', join: 'succeeds', leave: 'succeeds' },
  { isWarm: false, install: 'takesLong', join: 'takesLong', leave: 'succeeds' },
  { isWarm: true, install: 'succeeds', join: 'failsHalfway', leave: 'succeeds' },
  { isWarm: true, install: 'succeeds', join: 'reboots', leave: 'reboots' },
  { isWarm: false, install: 'reboots', join: 'succeeds', leave: 'succeeds' },
  { isWarm: true, install: 'succeeds', join: 'failsAtOnce', leave: 'leavesTheAgent' },
]

describe('a function killed at any effect', () => {
  for (const trouble of troubles) {
    for (const when of ['before', 'after'] as const) {
      const title = `install ${trouble.install}, join ${trouble.join}, leave ${trouble.leave}, killed ${when} each`
      it(`POOL-02: converges: ${title}`, async () => {
        let kills = 0
        for (let atEffect = 1; atEffect <= 60; atEffect += 1) {
          const world = begin(trouble)
          const kill: Kill = { atEffect, when }
          await world.carry(world.request('install'), { kill })
          kills += world.pending.some(({ phase }) => phase === 'install') ? 1 : 0
          for (let step = 0; step < 12; step += 1) {
            const next = world.pending.shift()
            if (next !== undefined) await world.carry(next, { kill })
            world.clock.advance(40_000)
          }
          world.assertSound()
          await endWell(world)
        }
        assert.ok(kills > 0)
      })
    }
  }
})

/** A delivery that stands still, and what lets it go on. */
interface Sleeper {
  readonly wake: () => void
  readonly done: Promise<void>
}

function standStill(world: WatchedWorld, message: RunPhase, atEffect: number): Sleeper {
  const { promise: until, resolve } = Promise.withResolvers<unknown>()
  return { wake: () => resolve(undefined), done: world.carry(message, { pause: { atEffect, until } }) }
}

async function wakeUp({ wake, done }: Sleeper): Promise<void> {
  wake()
  await done
}

/** What the world does while a delivery stands still for two minutes. */
const meanwhile: Readonly<Record<string, (world: WatchedWorld) => Promise<void>>> = {
  'another delivery takes over': (world) => world.carry(world.request('join')),
  'another delivery takes over and finishes': async (world) => {
    await world.carry(world.request('join'))
    await world.comeToRest()
  },
  'its NodeClaim goes and the host leaves': async (world) => {
    world.deleteNodeClaim()
    await world.comeToRest()
  },
  'the host leaves and another NodeClaim joins it': async (world) => {
    world.deleteNodeClaim()
    await world.comeToRest()
    world.clock.advance(3_600_000)
    await world.claimAnew()
    await world.comeToRest()
  },
}

describe('a function that stands still before any effect', () => {
  for (const [title, happens] of Object.entries(meanwhile)) {
    for (const join of ['succeeds', 'takesLong', 'failsHalfway'] as const) {
      for (const fault of [undefined, 'refuses-connect', 'drops-mid-stream'] as const) {
        it(`DDB-04: changes nothing it must not: ${title}; join ${join}, ${fault ?? 'no fault'}`, async () => {
          for (let atEffect = 1; atEffect <= 16; atEffect += 1) {
            const world = begin({ isWarm: true, install: 'succeeds', join, leave: 'succeeds' })
            if (fault !== undefined) world.machine().faults.push(fault)
            const sleeper = standStill(world, world.request('join'), atEffect)
            await setImmediate()
            world.clock.advance(150_000)
            await happens(world)
            await wakeUp(sleeper)
            world.assertSound()
            await endWell(world)
          }
        })
      }
    }
  }
})

const fault = fc.constantFrom<HostFault>(
  'refuses-connect',
  'refuses-auth',
  'drops-before-start',
  'drops-mid-stream',
  'needs-tty',
)
const kill = fc.option(
  fc.record({
    atEffect: fc.integer({ min: 1, max: 14 }),
    when: fc.constantFrom('before' as const, 'after' as const),
  }),
  { nil: undefined, freq: 2 },
)
const phase = fc.constantFrom('install' as const, 'join' as const, 'leave' as const)
const pick = fc.nat({ max: 50 })
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('deliver' as const), pick, kill }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deliver-twice' as const), pick, kill }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('request' as const), phase, kill }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('stand-still' as const),
      pick,
      atEffect: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wake-up' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      durationMs: fc.integer({ min: 0, max: 200_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fault' as const), fault }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reboot' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-node-claim' as const) }) },
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

async function act(world: WatchedWorld, step: Action, sleepers: Sleeper[]): Promise<void> {
  const take = (at: number) => world.pending.splice(at % Math.max(1, world.pending.length), 1)[0]
  switch (step.kind) {
    case 'deliver': {
      const message = take(step.pick)
      if (message !== undefined) await world.carry(message, { kill: step.kill })
      return
    }
    case 'deliver-twice': {
      const message = take(step.pick)
      if (message === undefined) return
      await Promise.all([world.carry(message, { kill: step.kill }), world.carry(message)])
      return
    }
    case 'request':
      // A leave is asked for only once its NodeClaim goes.
      if (step.phase === 'leave') world.deleteNodeClaim()
      return world.carry(world.request(step.phase), { kill: step.kill })
    case 'stand-still': {
      const message = take(step.pick) ?? world.request('join')
      sleepers.push(standStill(world, message, step.atEffect))
      return setImmediate()
    }
    case 'wake-up': {
      const [sleeper] = sleepers.splice(step.pick % Math.max(1, sleepers.length), 1)
      if (sleeper !== undefined) await wakeUp(sleeper)
      return
    }
    case 'lose':
      take(step.pick)
      return
    case 'wait':
      world.clock.advance(step.durationMs)
      return
    case 'fault':
      world.machine().faults.push(step.fault)
      return
    case 'reboot':
      world.fleet.reboot(world.machine())
      return
    case 'delete-node-claim':
      world.deleteNodeClaim()
  }
}

describe('any sequence of deliveries, kills and faults', () => {
  it('DDB-04: breaks no promise and comes to rest', async () => {
    const trouble = fc.record({
      isWarm: fc.boolean(),
      install: fc.constantFrom(...(Object.keys(installScripts) as (keyof typeof installScripts)[])),
      join: fc.constantFrom(...(Object.keys(joinScripts) as (keyof typeof joinScripts)[])),
      leave: fc.constantFrom(...(Object.keys(leaveScripts) as (keyof typeof leaveScripts)[])),
    })
    await fc.assert(
      fc.asyncProperty(trouble, fc.array(action, { maxLength: 25 }), async (given, actions) => {
        const world = begin(given)
        await world.carry(world.request(given.isWarm ? 'join' : 'install'))
        const sleepers: Sleeper[] = []
        for (const step of actions) await act(world, step, sleepers)
        for (const sleeper of sleepers) await wakeUp(sleeper)
        world.assertSound()
        await endWell(world)
      }),
      { numRuns: 500 },
    )
  })
})
