import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aNode } from '../../test/support/builders/kubernetes.ts'
import { fakeLog } from '../../test/support/fakes/log.ts'
import { fakeRandom } from '../../test/support/fakes/random.ts'
import { scriptedFeed, type Scripted } from '../../test/support/fakes/resource-feed.ts'
import { fakeClock } from '../../test/support/fakes/clock.ts'
import { ConfigError } from '../errors/config-error.ts'
import { TransientError } from '../errors/transient-error.ts'
import type { Node } from '../api/node.ts'
import { nodes } from '../kubernetes/resources.ts'
import type { Seen, WatchEvent } from '../kubernetes/watch-ports.ts'
import { defaultFollowSettings, type ResourceSink } from './feed-attempt.ts'
import { followResource } from './follow-resource.ts'

const broken = new TransientError('Cannot watch "nodes": broken off, it is opened again')
const forbidden = new ConfigError('Cannot watch "nodes": forbidden, grant it')

function seen(name: string, resourceVersion: string): Seen<Node> {
  return { uid: name, resourceVersion, object: aNode({ name }) }
}
function page(names: readonly string[], resourceVersion: string, next?: string): Scripted {
  const items = names.map((name) => seen(name, resourceVersion))
  return { list: { kind: 'page', resourceVersion, next }, items }
}
const opened: WatchEvent<Node> = { kind: 'opened' }
function put(name: string, resourceVersion: string): WatchEvent<Node> {
  return { kind: 'put', seen: seen(name, resourceVersion) }
}

/** Plays a script to its end and tells what became of it. */
async function follow(script: readonly Scripted[]) {
  const feed = scriptedFeed(script)
  const clock = fakeClock(0)
  const log = fakeLog()
  const kept = new Set<string>()
  const told: string[] = []
  const sink: ResourceSink<Node> = {
    put: ({ uid }) => void kept.add(uid),
    remove: (uid) => void kept.delete(uid),
    retain: (uids) => kept.forEach((uid) => uids.has(uid) || kept.delete(uid)),
    heard: () => undefined,
    synced: () => void told.push('synced'),
    unsynced: () => void told.push('unsynced'),
  }
  const settings = { ...defaultFollowSettings, silenceMs: Number.MAX_SAFE_INTEGER }
  const stop = new AbortController()
  const waits: number[] = []
  const counting = { ...clock, wait: recordWaits(waits) }
  const following = followResource(
    {
      resource: nodes,
      feed,
      sink,
      clock: counting,
      random: fakeRandom(250),
      log,
      settings,
      inTurn: (work) => work(),
    },
    stop.signal,
  )
  await feed.played
  stop.abort()
  await following
  return { requests: feed.requests, kept: [...kept], waits, told, log }
}

/** Waits pass at once; the wait for silence, which no script wants, lasts. */
function recordWaits(waits: number[]): (durationMs: number, signal?: AbortSignal) => Promise<void> {
  return (durationMs, signal) => {
    if (durationMs <= defaultFollowSettings.notServedMs) {
      waits.push(durationMs)
      return new Promise((resolve) => setImmediate(resolve))
    }
    return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
  }
}

describe('followResource', () => {
  it('reads all pages of a list, then watches from where the first page was taken', async () => {
    const { requests, kept } = await follow([
      page(['a'], '5', 'more'),
      page(['b'], '6'),
      { watch: [opened], then: 'close' },
    ])
    assert.deepEqual(requests.slice(0, 3), ['list', 'list more', 'watch 5'])
    assert.deepEqual(kept, ['a', 'b'])
  })

  it('WAT-02: goes on from the last resourceVersion at once when the server closes a watch, without an error', async () => {
    const { requests, waits, log, told } = await follow([
      page([], '5'),
      { watch: [opened, put('a', '7'), { kind: 'bookmark', resourceVersion: '9' }], then: 'close' },
      { watch: [opened, put('b', '11')], then: 'close' },
    ])
    assert.deepEqual(requests, ['list', 'watch 5', 'watch 9', 'watch 11'])
    assert.deepEqual(waits, [])
    assert.deepEqual(log.lines, [])
    assert.ok(!told.includes('unsynced'))
  })

  it('WAT-03: slows down when a server closes every watch at once', async () => {
    const closes = Array.from({ length: 5 }, () => ({ watch: [opened], then: 'close' as const }))
    const { waits } = await follow([page([], '5'), ...closes])
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000])
  })

  it('WAT-03: waits longer after each failure, keeps its place, and is quick again after a success', async () => {
    const failing = { watch: [], then: broken }
    const { requests, waits, told } = await follow([
      page([], '5'),
      failing,
      failing,
      failing,
      { watch: [opened, put('a', '8')], then: broken },
    ])
    assert.deepEqual(requests, ['list', 'watch 5', 'watch 5', 'watch 5', 'watch 5', 'watch 8'])
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 1_000])
    assert.deepEqual(told, ['synced', 'unsynced', 'unsynced', 'unsynced', 'synced', 'unsynced'])
  })

  it('WAT-07: lists again, once and without waiting, when its resourceVersion is too old', async () => {
    const { requests, waits } = await follow([
      page(['a'], '5'),
      { watch: [opened, put('b', '6'), { kind: 'expired' }], then: 'close' },
      page(['c'], '90'),
      { watch: [{ kind: 'expired' }], then: 'close' },
      page(['c'], '95'),
    ])
    assert.deepEqual(requests, ['list', 'watch 5', 'list', 'watch 90', 'list', 'watch 95'])
    assert.deepEqual(waits, [1_000])
  })

  it('WAT-07: begins a list again when its continue token expired, and does not run in circles', async () => {
    const expired: Scripted = { list: { kind: 'expired' } }
    const { requests, waits } = await follow([
      page(['a'], '5', 'more'),
      expired,
      page(['b'], '6', 'more'),
      expired,
      expired,
      page(['c'], '9'),
    ])
    assert.deepEqual(requests, ['list', 'list more', 'list', 'list more', 'list', 'list', 'watch 9'])
    assert.deepEqual(waits, [1_000, 2_000])
  })

  it('WAT-05: forgets what was deleted while it was not looking', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `p${index}`)
    const { kept } = await follow([
      page(names, '5'),
      { watch: [opened, { kind: 'expired' }], then: 'close' },
      page(['p7'], '90'),
    ])
    assert.deepEqual(kept, ['p7'])
  })

  it('drops what is deleted or cannot be read any more', async () => {
    const { kept } = await follow([
      page(['a', 'b', 'c'], '5'),
      {
        watch: [
          opened,
          { kind: 'deleted', uid: 'a', resourceVersion: '6' },
          { kind: 'unreadable', uid: 'b', resourceVersion: '7' },
        ],
        then: 'close',
      },
    ])
    assert.deepEqual(kept, ['c'])
  })

  it('asks slowly for a resource that is not served, and counts it as known to be empty', async () => {
    const { requests, waits, told } = await follow([
      { list: { kind: 'not-served' } },
      { list: { kind: 'not-served' } },
      page(['a'], '5'),
    ])
    assert.deepEqual(requests, ['list', 'list', 'list', 'watch 5'])
    assert.deepEqual(waits, [60_000, 60_000])
    assert.deepEqual(told, ['synced', 'synced', 'synced'])
  })

  it('WAT-03: backs off from a refused list and says so as an error', async () => {
    const { waits, log } = await follow([{ list: forbidden }, { list: forbidden }, page([], '5')])
    assert.deepEqual(waits, [1_000, 2_000])
    assert.deepEqual(
      log.lines.map(({ level, event }) => [level, event]),
      [
        ['error', 'watcher.feed-failed'],
        ['error', 'watcher.feed-failed'],
      ],
    )
  })
})
