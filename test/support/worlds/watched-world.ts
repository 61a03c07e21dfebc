// The phase world with everything that may go wrong around it, and with eyes on what must never happen. What reconcile and the
// guard do to phases is played by an obvious model: they ask again for whatever the table says is still owed.
import assert from 'node:assert/strict'
import { LostRaceError } from '../../../lib/errors/lost-race-error.ts'
import { isLeaseExpired } from '../../../lib/hosts/lease.ts'
import type { Claim, HostRecord } from '../../../lib/hosts/host-record.ts'
import type { RunPhaseName } from '../../../lib/hosts/phase-name.ts'
import { nodeClaims } from '../../../lib/kubernetes/resources.ts'
import type { RunPhase } from '../../../lib/messages/run-phase.ts'
import { makeRunPhase } from '../../../lib/phase/run-phase.ts'
import { aClaim, aHostKey, probeFacts } from '../builders/hosts.ts'
import { aRunPhase } from '../builders/messages.ts'
import { fakeLog } from '../fakes/log.ts'
import { mortalDeps, Killed, type Fate } from './mortal-deps.ts'
import { activationCode, makePhaseWorld, type PhaseWorld, type WorldOptions } from './phase-world.ts'

export interface WatchedWorld extends PhaseWorld {
  /** Messages that are on their way, in no promised order. */
  readonly pending: RunPhase[]
  /** Every message that was ever sent. */
  readonly everSent: readonly RunPhase[]
  request(phase: RunPhaseName): RunPhase
  /** One delivery. A killed one comes back, as its queue would see to. */
  carry(message: RunPhase, fate?: Fate): Promise<void>
  deleteNodeClaim(): void
  /** A NodeClaim of another name takes the host, which must be free. */
  claimAnew(): Promise<void>
  /** Delivers, waits and asks again until nothing is owed and nothing is on its way. */
  comeToRest(): Promise<void>
  assertSound(): void
}

export function makeWatchedWorld(options: WorldOptions): WatchedWorld {
  const world = makePhaseWorld(options)
  const pending: RunPhase[] = []
  const everSent: RunPhase[] = []
  watchRecords(world)
  watchStarts(world)

  function collect(): void {
    for (const queue of ['install', 'join', 'leave'] as const) {
      for (const { message } of world.sender.take(queue)) {
        if (message.type !== 'RunPhase') continue
        pending.push(message)
        everSent.push(message)
      }
    }
    world.sender.take('events')
  }

  const watched: WatchedWorld = Object.assign(world, {
    pending,
    everSent,
    request(phase: RunPhaseName): RunPhase {
      const deadlineAtMs = world.clock.nowMs() + 1_800_000
      const message = aRunPhase({ phase, requestedAtMs: world.clock.nowMs(), deadlineAtMs })
      everSent.push(message)
      return message
    },
    async carry(message: RunPhase, fate: Fate = {}): Promise<void> {
      const mortal = mortalDeps(world.deps, fate)
      const deadlineAtMs = world.clock.nowMs() + 60_000
      try {
        await makeRunPhase(mortal.deps)(message, { clock: world.clock, log: fakeLog(), deadlineAtMs })
      } catch (error) {
        if (error instanceof Killed) pending.push(message)
        else if (!(error instanceof LostRaceError)) throw error
      }
      collect()
    },
    deleteNodeClaim(): void {
      if (world.kubernetes.raw(nodeClaims, 'workers-abcde') === undefined) return
      world.putNodeClaim({ deletionTimestamp: '2026-01-01T00:10:00Z' })
    },
    async claimAnew(): Promise<void> {
      world.putNodeClaim({ name: 'workers-fghij', uid: 'uid-2' })
      const claim = aClaim({ nodeClaim: 'workers-fghij', uid: 'uid-2', sinceMs: world.clock.nowMs() })
      const facts = probeFacts({ isOursOnHost: true })
      await world.deps.changeHost(aHostKey(), { kind: 'probed', facts }, world.clock.nowMs())
      const event = { kind: 'claimed', claim, providerID: 'kpssh://kpssh-system/h1' } as const
      const outcome = await world.deps.changeHost(aHostKey(), event, world.clock.nowMs())
      assert.equal(outcome.kind, 'changed')
    },
    async comeToRest(): Promise<void> {
      for (let round = 0; round < 200; round += 1) {
        const message = pending.shift() ?? owed(world)
        if (message === undefined) return
        await watched.carry(message)
        world.clock.advance(20_000)
      }
      assert.fail(`the host does not come to rest: ${JSON.stringify(world.record())}`)
    },
    assertSound(): void {
      assertNoSecrets(watched)
      const recorded = world.record().tokenIDs.map((id) => `bootstrap-token-${id}`)
      for (const token of world.tokens()) assert.ok(recorded.includes(token), `nobody knows of ${token}`)
      const fences = world.machine().executed.map(({ fence }) => fence)
      assert.deepEqual(
        fences,
        [...new Set(fences)].sort((a, b) => a - b),
        'fences grow with every run',
      )
    },
  })
  return watched
}

/** What reconcile or the guard would ask for next; undefined if the host is at rest. */
function owed(world: PhaseWorld): RunPhase | undefined {
  const { claim, run } = world.record()
  if (run === undefined) return claim === undefined ? owedWithoutClaim(world) : owedToClaim(world, claim)
  if (!isLeaseExpired(run, world.clock.nowMs())) world.clock.advance(150_000)
  return ask(world, run.phase, run.id)
}

/** A leave, once its back-off is over. */
function owedWithoutClaim(world: PhaseWorld): RunPhase | undefined {
  const { leavePending, failures, quarantine } = world.record()
  if (!leavePending || quarantine !== undefined) return undefined
  world.clock.advance(Math.max(0, (failures?.notBeforeMs ?? 0) - world.clock.nowMs()))
  return ask(world, 'leave')
}

function owedToClaim(world: PhaseWorld, claim: Claim): RunPhase | undefined {
  const held = world.kubernetes.raw(nodeClaims, claim.nodeClaim)
  const isGoing = held === undefined || 'deletionTimestamp' in (held.metadata as object)
  const isOver = claim.failure !== undefined || claim.leftAtMs !== undefined
  if (isGoing || isOver) return ask(world, 'leave')
  return claim.joinedAtMs === undefined ? ask(world, 'install') : undefined
}

function ask(world: PhaseWorld, phase: RunPhaseName, runId?: string): RunPhase {
  const { claim } = world.record()
  const requestedAtMs = world.clock.nowMs()
  const nodeClaim = claim && { name: claim.nodeClaim, uid: claim.uid }
  return aRunPhase({ phase, nodeClaim, runId, requestedAtMs, deadlineAtMs: requestedAtMs + 1_800_000 })
}

/** Sees every write to the table. */
function watchRecords(world: PhaseWorld): void {
  const write = world.hosts.write.bind(world.hosts)
  world.hosts.write = async (next, believedVersion, cause) => {
    const before = await world.hosts.get(next.key)
    const outcome = await write(next, believedVersion, cause)
    if (outcome.kind === 'written' && before !== undefined) assertSoundStep(world, before, outcome.record)
    return outcome
  }
}

function assertSoundStep(world: PhaseWorld, before: HostRecord, after: HostRecord): void {
  if (before.leavePending && !after.leavePending) {
    const { run } = before
    const hasLeft = run?.phase === 'leave' && after.lastRun?.result === 'succeeded'
    const hasNeverJoined = run?.phase === 'join' && !world.machine().runs.has(run.id)
    assert.ok(hasLeft || hasNeverJoined, 'a leave is owed until one succeeded')
  }
  if (after.state === 'Available') {
    assert.equal(after.leavePending, false, 'an offered host owes no leave')
    assert.notEqual(world.machine().agent, 'active', 'an offered host is no member')
  }
  assert.ok(after.fence >= before.fence, 'the fence never falls')
}

/** Sees every run that a host really begins. */
function watchStarts(world: PhaseWorld): void {
  const start = world.fleet.start.bind(world.fleet)
  world.fleet.start = async (target, request, watch) => {
    const machine = world.machine()
    const already = machine.executed.length
    const isBusy = machine.running !== undefined
    const result = await start(target, request, watch)
    const begun = machine.executed.slice(already)
    if (begun.length > 0) {
      assert.ok(!isBusy || machine.executed.length === already + 1, 'one run at a time')
      assert.ok(request.phase !== 'join' || world.record().leavePending, 'no join after release')
    }
    return result
  }
}

function assertNoSecrets(world: WatchedWorld): void {
  const told = JSON.stringify([
    world.hosts.records,
    world.history.entries,
    world.pending,
    world.everSent,
    world.sender.deadLetters,
  ])
  const tokens = world.machine().executed.map(({ environment }) => environment.KPSSH_BOOTSTRAP_TOKEN ?? '')
  const halves = tokens.map((token) => token.slice(7))
  for (const secret of [activationCode, 'a private key', ...halves]) {
    assert.ok(secret === '' || !told.includes(secret), 'secrets are told to hosts alone')
  }
}
