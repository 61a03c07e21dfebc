import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { nodes } from '../../lib/kubernetes/resources.ts'
import { defaultFollowSettings } from '../../lib/watcher/feed-attempt.ts'
import { followResource } from '../../lib/watcher/follow-resource.ts'
import { aNode } from '../support/builders/kubernetes.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { memoryServer, type Happening } from '../support/fakes/memory-server.ts'
import { fakeRandom } from '../support/fakes/random.ts'

const uid = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: uid.map((put) => ({ put })) },
  { weight: 4, arbitrary: uid.map((remove) => ({ remove })) },
  { weight: 3, arbitrary: fc.constantFrom<Happening>('compact', 'close', 'break', 'fail') },
)

/** Waits take no time, but for the one for silence, which lasts as long as its watch. */
const clock = {
  nowMs: () => 0,
  wait: (durationMs: number, signal?: AbortSignal): Promise<void> =>
    durationMs < defaultFollowSettings.silenceMs
      ? Promise.resolve()
      : new Promise((resolve) => {
          if (signal?.aborted === true) resolve()
          signal?.addEventListener('abort', () => resolve(), { once: true })
        }),
}

describe('following a resource, whatever the server and the network do', () => {
  it('ends up with exactly what the server has', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 60 }), async (happenings) => {
        const server = memoryServer(happenings, (name) => aNode({ name }))
        const kept = new Set<string>()
        const sink = {
          put: (seen: { readonly uid: string }) => void kept.add(seen.uid),
          remove: (gone: string) => void kept.delete(gone),
          retain: (uids: ReadonlySet<string>) => kept.forEach((one) => uids.has(one) || kept.delete(one)),
          heard: () => undefined,
          synced: () => undefined,
          unsynced: () => undefined,
        }
        const stop = new AbortController()
        const deps = { resource: nodes, feed: server, sink, clock, random: fakeRandom(250), log: fakeLog() }
        const following = followResource(
          { ...deps, settings: defaultFollowSettings, inTurn: (work) => work() },
          stop.signal,
        )
        await server.quiet
        assert.deepEqual([...kept].toSorted(), [...server.objects].toSorted())
        stop.abort()
        await following
      }),
      { numRuns: 500 },
    )
  })
})
