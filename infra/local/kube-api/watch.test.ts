import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { steeredClock, type SteeredClock } from '../../../test/support/fakes/steered-clock.ts'
import { localApi, shortEvents, type LocalApi } from '../../../test/support/local-api.ts'
import { listOf, recordOf, textOf, valueAt } from './json.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const all = '/api/v1/configmaps'

describe('watching and listing', () => {
  let api: LocalApi
  let clock: SteeredClock
  const make = (name: string, labels: object = {}): void =>
    void api.must('POST', maps, { metadata: { name, labels } })
  beforeEach(() => {
    clock = steeredClock(Date.parse('2026-01-01T00:00:00Z'))
    api = localApi({ clock })
  })

  describe('a watch', () => {
    it('begins with what is there, unless it names a version', () => {
      make('a')
      const version = api.store.version()
      make('b')
      assert.deepEqual(shortEvents(api.watch(`${all}?watch=1`).events), ['ADDED a', 'ADDED b'])
      assert.deepEqual(shortEvents(api.watch(`${all}?watch=1&resourceVersion=0`).events), [
        'ADDED a',
        'ADDED b',
      ])
      assert.deepEqual(shortEvents(api.watch(`${all}?watch=1&resourceVersion=${version}`).events), [
        'ADDED b',
      ])
    })

    it('streams the list if it is asked to, and marks its end', () => {
      make('a')
      const query =
        'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
      const { events } = api.watch(`${all}?${query}`)
      assert.deepEqual(shortEvents(events), ['ADDED a', 'BOOKMARK'])
      assert.deepEqual(valueAt(events[1]!.object, ['metadata', 'annotations']), {
        'k8s.io/initial-events-end': 'true',
      })
      assert.equal(api.ask('GET', `${all}?watch=1&sendInitialEvents=true`).status, 400)
    })

    it('sees its own namespace or object alone', () => {
      const here = api.watch(`${maps}?watch=1`)
      const one = api.watch(`${maps}/a?watch=1`)
      const other = api.watch('/api/v1/namespaces/kube-public/configmaps?watch=1')
      make('a')
      make('b')
      assert.deepEqual(shortEvents(here.events), ['ADDED a', 'ADDED b'])
      assert.deepEqual(shortEvents(one.events), ['ADDED a'])
      assert.deepEqual(other.events, [])
    })

    it('ends by itself after timeoutSeconds', async () => {
      const watch = api.watch(`${all}?watch=1&timeoutSeconds=5`)
      await clock.advance(4999)
      assert.equal(watch.isEnded(), false)
      await clock.advance(1)
      assert.equal(watch.isEnded(), true)
      assert.deepEqual(api.liveWatches(), {})
    })

    it('is forgotten when its reader goes', () => {
      const watch = api.watch(`${all}?watch=1`)
      assert.deepEqual(api.liveWatches(), { configmaps: 1 })
      watch.close()
      assert.deepEqual(api.liveWatches(), {})
      make('a')
      assert.deepEqual(watch.events, [])
    })

    it('gets a bookmark every minute if it allows them', async () => {
      const allows = api.watch(`${all}?watch=1&allowWatchBookmarks=true`)
      const silent = api.watch(`${all}?watch=1`)
      await clock.advance(59_999)
      assert.equal(allows.events.length, 0)
      await clock.advance(1)
      assert.deepEqual(shortEvents(allows.events), ['BOOKMARK'])
      assert.equal(
        valueAt(allows.events[0]!.object, ['metadata', 'resourceVersion']),
        String(api.store.version()),
      )
      assert.deepEqual(silent.events, [])
    })

    it('WAT-07: is told in the stream that its version is gone', () => {
      make('a')
      const version = api.store.version()
      make('b')
      api.faults.forgetHistory()
      const watch = api.watch(`${all}?watch=1&resourceVersion=${version}`)
      assert.deepEqual(
        watch.events.map(({ type, object }) => [type, object['code'], object['reason']]),
        [['ERROR', 410, 'Expired']],
      )
      assert.equal(watch.isEnded(), true)
    })
  })

  describe('a paged list', () => {
    const page = (query: string): { names: readonly string[]; token: string; remaining: unknown } => {
      const body = api.must('GET', `${all}?${query}`)
      const metadata = recordOf(body['metadata'])
      return {
        names: listOf(body['items']).map((item) => textOf(valueAt(item, ['metadata', 'name']))),
        token: textOf(metadata['continue']),
        remaining: metadata['remainingItemCount'],
      }
    }

    it('shows the state in which it began on every page', () => {
      for (const name of ['a', 'b', 'c']) make(name)
      const first = page('limit=2')
      assert.deepEqual([first.names, first.remaining], [['a', 'b'], 1])
      api.must('DELETE', `${maps}/c`)
      make('d')
      assert.deepEqual(page(`limit=2&continue=${first.token}`), {
        names: ['c'],
        token: '',
        remaining: undefined,
      })
    })

    it('counts no rest for a selection', () => {
      for (const name of ['a', 'b']) make(name, { x: 'y' })
      const first = page('limit=1&labelSelector=x')
      assert.notEqual(first.token, '')
      assert.equal(first.remaining, undefined)
    })

    it("is refused where its token is forgotten, or another list's", () => {
      for (const name of ['a', 'b']) make(name)
      const { token } = page('limit=1')
      assert.equal(api.ask('GET', `/api/v1/secrets?continue=${token}`).status, 410)
      api.faults.forgetHistory()
      assert.equal(api.ask('GET', `${all}?continue=${token}`).status, 410)
      assert.equal(api.ask('GET', `${all}?continue=nonsense`).status, 410)
    })
  })

  describe('faults', () => {
    it('refuse the requests that are meant, as often as they were asked to', () => {
      api.faults.refuse({ verbs: ['list'], plurals: ['configmaps'] }, 500, 2)
      assert.equal(api.ask('GET', all).status, 500)
      assert.equal(api.ask('GET', '/api/v1/nodes').status, 200)
      assert.equal(api.ask('GET', all).status, 500)
      assert.equal(api.ask('GET', all).status, 200)
    })

    it('refuse until they are cleared', () => {
      api.faults.refuse({}, 403)
      assert.equal(api.ask('GET', all).body['reason'], 'Forbidden')
      assert.equal(api.ask('POST', maps, { metadata: { name: 'a' } }).status, 403)
      api.faults.clear()
      assert.equal(api.ask('GET', all).status, 200)
    })

    it('WAT-01: silence watches without ending them', () => {
      const before = api.watch(`${all}?watch=1`)
      api.faults.blackholeWatches(['configmaps'])
      const after = api.watch(`${all}?watch=1`)
      const nodes = api.watch('/api/v1/nodes?watch=1')
      make('a')
      api.must('POST', '/api/v1/nodes', { metadata: { name: 'n' } })
      assert.deepEqual([before.events, after.events], [[], []])
      assert.deepEqual(shortEvents(nodes.events), ['ADDED n'])
      assert.deepEqual(api.liveWatches(), { configmaps: 2, nodes: 1 })
      api.faults.clear()
      make('b')
      assert.deepEqual(shortEvents(before.events), ['ADDED b'])
    })

    it('WAT-02: end watches without an error, or with one', () => {
      const maps = api.watch(`${all}?watch=1`)
      const nodes = api.watch('/api/v1/nodes?watch=1')
      api.faults.endWatches(['configmaps'])
      api.faults.expireWatches(['nodes'])
      assert.deepEqual([maps.events, maps.isEnded()], [[], true])
      assert.deepEqual([shortEvents(nodes.events), nodes.isEnded()], [['ERROR'], true])
    })

    it('send a bookmark at once', () => {
      const watch = api.watch(`${all}?watch=1`)
      api.faults.sendBookmarks()
      assert.deepEqual(shortEvents(watch.events), ['BOOKMARK'])
    })
  })
})
