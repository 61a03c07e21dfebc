import { setTimeout as pause } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import type { KubeApiServer } from '../../infra/local/kube-api/kube-api-server.ts'
import { kubeconfigConnection } from '../../lib/adapters/kubernetes/connection.ts'
import { makeKubernetes } from '../../lib/adapters/kubernetes/kubernetes.ts'
import { makeResourceFeed } from '../../lib/adapters/kubernetes/resource-feed.ts'
import { makeSystemClock } from '../../lib/adapters/node/clock.ts'
import type { ClusterObserved } from '../../lib/messages/cluster-observed.ts'
import type { Message } from '../../lib/messages/ports.ts'
import { startWatcher, type Watcher, type WatcherSettings } from '../../lib/watcher/start-watcher.ts'
import { fakeLog, type FakeLog } from './fakes/log.ts'
import { fakeRandom } from './fakes/random.ts'
import { steeredClock } from './fakes/steered-clock.ts'
import { atEnd } from './at-end.ts'

export interface WatcherUnderTest {
  readonly watcher: Watcher
  readonly log: FakeLog
  /** What reached the queue, oldest first. */
  readonly messages: ClusterObserved[]
  /** What the queue does with the next messages; sends go through while it is undefined. */
  queueFault: Error | undefined
  readonly nowMs: () => number
  /** Lets the watcher's time pass in small steps, so that what it causes can happen in between. */
  readonly pass: (durationMs: number) => Promise<void>
  /** Lets time pass until `check` holds; fails after ten minutes of the watcher's time. */
  readonly until: (check: () => boolean) => Promise<void>
  /** Lets everything happen that needs no time to pass. */
  readonly settle: () => Promise<void>
}

/** A watcher of an API server, on real connections and a clock that the test moves. */
export function aWatcher(
  test: TestContext,
  api: KubeApiServer,
  settings: Partial<WatcherSettings> = {},
): WatcherUnderTest {
  const clock = steeredClock(Date.UTC(2026, 0, 1))
  const log = fakeLog()
  const messages: ClusterObserved[] = []
  const connection = kubeconfigConnection({ text: () => Promise.resolve(api.kubeconfig) })
  const deps = { clock: makeSystemClock(), log }
  const state: { queueFault: Error | undefined } = { queueFault: undefined }
  const sender = {
    send: (_queue: string, message: Message): Promise<void> => {
      if (state.queueFault !== undefined) return Promise.reject(state.queueFault)
      if (message.type === 'ClusterObserved') messages.push(message)
      return Promise.resolve()
    },
  }
  const ports = {
    cluster: 'lab',
    feed: makeResourceFeed(connection, deps),
    reader: makeKubernetes(connection, deps),
    sender,
    clock,
    random: fakeRandom(250),
    log,
  }
  const watcher = startWatcher(ports, settings)
  atEnd(test, async () => {
    await watcher.stop()
    connection.close()
  })
  const pass = async (durationMs: number): Promise<void> => {
    const stepMs = Math.max(500, Math.ceil(durationMs / 24))
    for (let leftMs = durationMs; leftMs > 0; leftMs -= stepMs) {
      await clock.advance(Math.min(leftMs, stepMs))
      await pause(3)
    }
  }
  return Object.assign(state, {
    watcher,
    log,
    messages,
    nowMs: () => clock.nowMs(),
    pass,
    settle: () => pause(50),
    async until(check: () => boolean) {
      const giveUpAtMs = clock.nowMs() + 600_000
      while (!check()) {
        if (clock.nowMs() > giveUpAtMs) throw new Error('ten minutes passed in vain')
        await pass(500)
      }
    },
  })
}
