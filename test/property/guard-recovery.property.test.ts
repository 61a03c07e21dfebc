import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { defaultGuardSettings } from '../../lib/guard/guard-settings.ts'
import { makeGuard } from '../../lib/guard/run-guard.ts'
import type { HostRecord } from '../../lib/hosts/host-record.ts'
import { nodeClaims, nodes } from '../../lib/kubernetes/resources.ts'
import { makeProbeHosts } from '../../lib/phase/run-probe.ts'
import { aRun, t0 } from '../support/builders/hosts.ts'
import { fakeGauges } from '../support/fakes/gauges.ts'
import { fakeClusterItems } from '../support/fakes/clusters.ts'
import type { HostFault } from '../support/fakes/host-runs.ts'
import { fakeClusters } from '../support/fakes/kubernetes.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { aMember, aWarmHost, makePhaseWorld, type PhaseWorld } from '../support/worlds/phase-world.ts'

interface Lost {
  readonly record: HostRecord
  readonly agent: 'active' | 'inactive'
  readonly hasNode: boolean
}

const free = { state: 'Available', claim: undefined, providerID: undefined } as const
const left = { id: 'run-0', phase: 'leave', result: 'succeeded', endedAtMs: t0 } as const
const member = { agent: 'active', hasNode: true } as const
const quiet = { agent: 'inactive', hasNode: false } as const

/** Hosts in the states in which something got lost. Nobody wants any of them any more. */
const lost: Readonly<Record<string, Lost>> = {
  'a member whose NodeClaim is gone': { record: aMember({ tokenIDs: ['abcdef'] }), ...member },
  'a claimed host whose NodeClaim is gone': { record: aWarmHost(), ...quiet },
  'a free host whose agent came back with a reboot': { record: aWarmHost(free), ...member },
  'a host that owes a leave': {
    record: aWarmHost({ ...free, state: 'Unhealthy', leavePending: true }),
    ...member,
  },
  'a host that owes a leave although it is quiet': {
    record: aWarmHost({ ...free, state: 'Leaving', leavePending: true }),
    ...quiet,
  },
  'a host whose Node was left behind': {
    record: aWarmHost({ ...free, lastRun: left }),
    agent: 'inactive',
    hasNode: true,
  },
  'a host whose token was left behind': { record: aWarmHost({ ...free, tokenIDs: ['abcdef'] }), ...quiet },
  'a leave that was recorded and never reached its host': {
    record: aMember({ run: aRun({ phase: 'leave', timeoutMs: 180_000 }) }),
    ...member,
  },
  'a join whose watcher was killed': {
    record: aWarmHost({ run: aRun({ phase: 'join' }), leavePending: true }),
    ...quiet,
  },
}

const faults: readonly (HostFault | undefined)[] = [
  undefined,
  undefined,
  'refuses-connect',
  'drops-before-start',
  'drops-mid-stream',
]
const mishaps = fc.record({
  start: fc.constantFrom(...Object.keys(lost)),
  /** Whether each of the first messages is lost on its way. */
  losses: fc.array(fc.boolean(), { maxLength: 20 }),
  faults: fc.array(fc.constantFrom(...faults), { maxLength: 10 }),
})

describe('the guard', () => {
  it('brings every host home, whatever messages and contacts were lost: left, free and owing nothing', async () => {
    await fc.assert(
      fc.asyncProperty(mishaps, async ({ start, losses, faults: planned }) => {
        const world = abandoned(lost[start]!)
        world.machine().faults.push(...planned.filter((fault) => fault !== undefined))
        const isLost = losses[Symbol.iterator]()
        for (let round = 0; round < 60 && !isHome(world); round += 1) await pass(world, isLost)
        const { state, claim, run, leavePending, tokenIDs } = world.record()
        assert.deepEqual(
          { state, claim, run, leavePending, tokenIDs },
          { state: 'Available', claim: undefined, run: undefined, leavePending: false, tokenIDs: [] },
        )
        assert.equal(world.machine().agent, 'inactive')
        assert.deepEqual(world.kubernetes.all(nodes), [])
      }),
      { numRuns: 150 },
    )
  })
})

function abandoned({ record, agent, hasNode }: Lost): PhaseWorld {
  const world = makePhaseWorld({ hosts: [record] })
  world.kubernetes.vanish(nodeClaims, 'workers-abcde')
  world.machine().agent = agent
  world.machine().installation = { id: 'installation-1', fence: record.fence }
  if (hasNode) world.putNode()
  return world
}

function isHome(world: PhaseWorld): boolean {
  const { state, tokenIDs } = world.record()
  return state === 'Available' && tokenIDs.length === 0 && world.kubernetes.all(nodes).length === 0
}

/** Two minutes, one pass of the guard, and every message that arrives, with those that follow from it. */
async function pass(world: PhaseWorld, isLost: Iterator<boolean>): Promise<void> {
  const { deps, clock, sender } = world
  clock.advance(120_000)
  const guard = makeGuard({
    ...deps,
    hosts: world.hosts,
    clusters: fakeClusters({ lab: world.kubernetes }),
    heartbeats: fakeClusterItems(),
    gauges: fakeGauges(),
    settings: defaultGuardSettings,
    clusterNames: [],
  })
  const probeHosts = makeProbeHosts(deps)
  const scope = () => ({ clock, log: fakeLog(), deadlineAtMs: clock.nowMs() + 60_000 })
  await guard(scope())
  for (let round = 0; round < 100; round += 1) {
    const arrived = (['install', 'join', 'leave', 'probe'] as const)
      .flatMap((queue) => sender.take(queue))
      .filter(() => isLost.next().value !== true)
    if (arrived.length === 0) return
    for (const { message, delaySeconds = 0 } of arrived) {
      clock.advance(delaySeconds * 1000)
      if (message.type === 'RunPhase') await world.deliver(message)
      if (message.type === 'ProbeHosts') await probeHosts(message, scope())
    }
  }
}
