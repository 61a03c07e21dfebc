import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { steeredClock } from '../../../test/support/fakes/steered-clock.ts'
import { localApi } from '../../../test/support/local-api.ts'
import { runControlLoop, type Controller } from './control-loop.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

describe('runControlLoop', () => {
  const start = (controller: Partial<Controller>) => {
    const clock = steeredClock(0)
    const api = localApi({ clock })
    const stop = new AbortController()
    const counts = { passes: 0, errors: 0 }
    const loop = runControlLoop(
      api,
      {
        name: 'c',
        watches: ['/nodes'],
        ...controller,
        async reconcile(cluster) {
          counts.passes += 1
          await controller.reconcile?.(cluster)
        },
      },
      { clock, signal: stop.signal, onError: () => (counts.errors += 1) },
    )
    return { api, clock, counts, loop, stop }
  }

  it('passes again for a change of what it watches, once for a burst', async () => {
    const { api, counts, loop, stop } = start({})
    await turn()
    assert.equal(counts.passes, 1)
    api.must('POST', '/api/v1/nodes', { metadata: { name: 'a' } })
    api.must('POST', '/api/v1/nodes', { metadata: { name: 'b' } })
    await turn()
    assert.equal(counts.passes, 2)
    api.must('POST', '/api/v1/namespaces', { metadata: { name: 'x' } })
    await turn()
    assert.equal(counts.passes, 2)
    stop.abort()
    await loop
  })

  it('passes again after its own changes, until there are none', async () => {
    const { counts, loop, stop } = start({
      reconcile: (cluster) => void cluster.create('/nodes', { metadata: { name: 'a' } }),
    })
    await turn()
    await turn()
    assert.equal(counts.passes, 2)
    stop.abort()
    await loop
  })

  it('passes as often as it asks, also after a pass that failed', async () => {
    const { clock, counts, loop, stop } = start({
      everyMs: 1000,
      reconcile: () => {
        throw new Error('broken')
      },
    })
    await turn()
    await clock.advance(999)
    await turn()
    assert.deepEqual(counts, { passes: 1, errors: 1 })
    await clock.advance(1)
    await turn()
    assert.deepEqual(counts, { passes: 2, errors: 2 })
    stop.abort()
    await loop
  })
})
