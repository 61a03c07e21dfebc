// What goes wrong with emulators of functions, tables and schedules, and must not matter here.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { makeEventRecorder } from '../../lib/adapters/kubernetes/event-recorder.ts'
import { defaultGuardSettings } from '../../lib/guard/guard-settings.ts'
import { makeGuard } from '../../lib/guard/run-guard.ts'
import { nodeClaims } from '../../lib/kubernetes/resources.ts'
import type { ClusterObserved } from '../../lib/messages/cluster-observed.ts'
import { encodeBody } from '../../lib/messages/message-body.ts'
import { parseBody } from '../../lib/messages/parse-body.ts'
import type { HostChanged } from '../../lib/messages/run-phase.ts'
import { makeReconcile } from '../../lib/reconcile/reconcile.ts'
import { observationRules } from '../../lib/runtime/observation-rules.ts'
import { sqsHandler, type SqsLambda } from '../../lib/runtime/sqs-handler.ts'
import { anInvocation, anSqsEvent, anSqsRecord } from '../support/builders/sqs-event.ts'
import { fakeClusterItems } from '../support/fakes/clusters.ts'
import { fakeGauges } from '../support/fakes/gauges.ts'
import { fakeClusters } from '../support/fakes/kubernetes.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { aMember, makePhaseWorld } from '../support/worlds/phase-world.ts'
import { aReconcileWorld, putPendingPod, type ReconcileWorld } from '../support/worlds/reconcile-world.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** The function as it is deployed, but for its vendors. */
function handlerOf(world: ReconcileWorld): SqsLambda {
  const { deps, kubernetes, sender } = world
  const clock = { nowMs: () => world.clock.nowMs(), wait: untilAborted }
  const created = { ...kubernetes, create: async () => ({ kind: 'created' as const, object: {} as never }) }
  const clusters = fakeClusters({ lab: created })
  const events = makeEventRecorder({ clusters, clock, ids: deps.ids, log: silent, instance: 'reconcile' })
  return sqsHandler<ClusterObserved | HostChanged>(
    {
      decode: (body) => parseBody(body, 'ClusterObserved', 'HostChanged'),
      groupOf: ({ cluster }) => cluster,
      maySend: () => true,
      handle: makeReconcile({ ...deps, events }),
      rules: observationRules('events', sender),
      budgetMs: 15_000,
      maxParallel: 4,
    },
    { clock, log: silent, begin: () => undefined, end: () => undefined },
  )
}

/** The deadline of an invocation that is never reached. */
function untilAborted(_durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe('a function that is invoked again and again in one process', () => {
  it('DEV-07: does the same at the thousandth invocation as at the second, and grows by nothing', async () => {
    const world = aReconcileWorld()
    for (const name of ['first', 'second']) putPendingPod(world, name, { cpu: '3' })
    const handler = handlerOf(world)
    const body = encodeBody(await world.observe())
    const invoke = async () => {
      const answer = await handler(anSqsEvent(anSqsRecord('m', body)), anInvocation(world.clock))
      assert.deepEqual(answer, { batchItemFailures: [] })
      // Not past the registration timeout, or the world would change.
      world.clock.advance(500)
      world.kubernetes.requests.splice(0)
    }
    for (let time = 0; time < 100; time += 1) await invoke()
    const [before, records] = [heapBytes(), world.hosts.records]
    for (let time = 0; time < 1_000; time += 1) await invoke()
    assert.ok(heapBytes() - before < 4 * 1_048_576, `${heapBytes() - before} bytes more`)
    assert.deepEqual(world.hosts.records, records)
    assert.deepEqual(world.requests(), ['join h1'])
  })
})

describe('a table that is emulated', () => {
  it('DEV-08: is asked for no transactions, whose tokens emulators mix up', async () => {
    const folder = new URL('../../lib/adapters/dynamodb/', import.meta.url)
    const files = (await readdir(folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    assert.ok(files.length > 5)
    for (const file of files) {
      const source = await readFile(new URL(file, folder), 'utf8')
      assert.doesNotMatch(source, /Transact(Write|Get)|ClientRequestToken/, file)
    }
  })
})

describe('a schedule that fires several times', () => {
  it('DEV-09: side by side, has a host left once', async () => {
    const world = makePhaseWorld({ hosts: [aMember({ nodeName: undefined })] })
    world.machine().agent = 'active'
    const { deps, clock } = world
    world.kubernetes.vanish(nodeClaims, 'workers-abcde')
    const guard = makeGuard({
      ...deps,
      hosts: world.hosts,
      clusters: fakeClusters({ lab: world.kubernetes }),
      heartbeats: fakeClusterItems(),
      gauges: fakeGauges(),
      settings: defaultGuardSettings,
      clusterNames: [],
    })
    const scope = { clock, log: fakeLog(), deadlineAtMs: clock.nowMs() + 60_000 }
    await Promise.all([guard(scope), guard(scope), guard(scope)])
    assert.equal(world.sender.sent.length, 3)
    await world.drain()
    assert.deepEqual(
      world.machine().executed.map(({ phase }) => phase),
      ['leave'],
    )
    assert.equal(world.record().state, 'Available')
  })
})
