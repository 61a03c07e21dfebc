import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { serveHealth } from './health-server.ts'
import type { Health } from './health.ts'

async function ask(test: TestContext, path: string, health: Health): Promise<readonly [number, string]> {
  const watcher = {
    health: () => health,
    metrics: () => ({ lastEventAgeMs: { pods: 1_500 }, messagesSent: 3 }),
  }
  const server = await serveHealth(watcher, { port: 0, host: '127.0.0.1' })
  test.after(() => server.close())
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`)
  return [answer.status, await answer.text()]
}

const well: Health = { isAlive: true, isReady: true, problems: [] }
const ill: Health = { isAlive: false, isReady: false, problems: ['nothing heard of pods'] }
const young: Health = { isAlive: true, isReady: false, problems: ['nothing was sent yet'] }

describe('the health server', () => {
  it('tells a kubelet whether to restart and whether to wait, and a person why', async (test) => {
    assert.deepEqual(await ask(test, '/healthz', well), [200, 'ok\n'])
    assert.deepEqual(await ask(test, '/healthz', young), [200, 'ok\n'])
    assert.deepEqual(await ask(test, '/readyz', young), [503, 'nothing was sent yet\n'])
    assert.deepEqual(await ask(test, '/healthz', ill), [503, 'nothing heard of pods\n'])
  })

  it('WAT-01: has the age of the last event per resource as a metric', async (test) => {
    const [status, text] = await ask(test, '/metrics', well)
    assert.equal(status, 200)
    assert.match(text, /^kpssh_watcher_last_event_age_seconds\{resource="pods"\} 1.5$/m)
    assert.match(text, /^kpssh_watcher_messages_sent_total 3$/m)
  })

  it('knows nothing else', async (test) => {
    assert.equal((await ask(test, '/', well))[0], 404)
  })
})
