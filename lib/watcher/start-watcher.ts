// The watcher of one cluster: feeds fill the view, one loop sends what it says. It reads, tells and decides nothing.
import type { Clock, Log, Random } from '../ambient/ports.ts'
import type { KubernetesReader } from '../kubernetes/ports.ts'
import type { ResourceFeed } from '../kubernetes/watch-ports.ts'
import { maxBodyBytes } from '../messages/message-body.ts'
import type { MessageSender } from '../messages/ports.ts'
import { makeClusterView } from '../watch/cluster-view.ts'
import { defaultPacing, type PacingSettings } from '../watch/pacing.ts'
import type { MessageLimits } from '../watch/to-cluster-observed.ts'
import { defaultFollowSettings, type FollowSettings } from './feed-attempt.ts'
import { type Health, type HealthFacts, healthOf } from './health.ts'
import { makeSendLoop } from './send-loop.ts'
import { startFeeds } from './start-feeds.ts'
import { makeTeller } from './tell-cluster.ts'

export interface WatcherPorts {
  /** The name that this cluster has in every message. */
  readonly cluster: string
  readonly feed: ResourceFeed
  readonly reader: Pick<KubernetesReader, 'get'>
  readonly sender: Pick<MessageSender, 'send'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface WatcherSettings {
  readonly follow: FollowSettings
  readonly pacing: PacingSettings
  readonly limits: Pick<MessageLimits, 'maxPendingPods' | 'maxBytes'>
  /** Silence or failure for longer than this ends liveness. */
  readonly unhealthyAfterMs: number
}

export const defaultWatcherSettings: WatcherSettings = {
  follow: defaultFollowSettings,
  pacing: defaultPacing,
  limits: { maxPendingPods: 5_000, maxBytes: maxBodyBytes },
  unhealthyAfterMs: 5 * 60_000,
}

export interface Watcher {
  health(): Health
  metrics(): WatcherMetrics
  /** Ends all feeds and the message on its way; resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

export interface WatcherMetrics {
  /** Since the last answer, by resource. */
  readonly lastEventAgeMs: Readonly<Record<string, number>>
  readonly messagesSent: number
}

export function startWatcher(ports: WatcherPorts, overrides: Partial<WatcherSettings> = {}): Watcher {
  const settings = { ...defaultWatcherSettings, ...overrides }
  const { clock } = ports
  const stopping = new AbortController()
  const startedAtMs = clock.nowMs()
  const view = makeClusterView()
  const tell = makeTeller({ ...ports, view, limits: settings.limits })
  const sending = makeSendLoop({ ...ports, tell, pacing: settings.pacing })
  const feeds = startFeeds(
    {
      ...ports,
      settings: settings.follow,
      view,
      onChange: () => sending.note('changed'),
      onSync: (isSynced) => sending.note(isSynced ? 'synced' : 'unsynced'),
    },
    stopping.signal,
  )
  const done = Promise.all([feeds.done, sending.run(stopping.signal)])
  ports.log.info('watcher.started', { cluster: ports.cluster })

  const facts = (): HealthFacts => ({ startedAtMs, ...feeds.facts(), ...sending.report() })
  return {
    health: () => healthOf(facts(), { nowMs: clock.nowMs(), limitMs: settings.unhealthyAfterMs }),
    metrics: () => metricsOf(facts(), sending.report().sent, clock.nowMs()),
    async stop() {
      stopping.abort()
      await done
    },
  }
}

function metricsOf(facts: HealthFacts, messagesSent: number, nowMs: number): WatcherMetrics {
  const ages = Object.entries(facts.heardAtMs).map(([feed, heardAtMs]): [string, number] => [
    feed,
    nowMs - (heardAtMs ?? facts.startedAtMs),
  ])
  return { lastEventAgeMs: Object.fromEntries(ages), messagesSent }
}
