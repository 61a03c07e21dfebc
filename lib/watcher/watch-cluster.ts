// The watcher over a connection to a real API server.
import type { Clock, Log, Random } from '../ambient/ports.ts'
import type { KubeConnection } from '../adapters/kubernetes/connection.ts'
import { makeKubernetes } from '../adapters/kubernetes/kubernetes.ts'
import { makeResourceFeed } from '../adapters/kubernetes/resource-feed.ts'
import type { MessageSender } from '../messages/ports.ts'
import { startWatcher, type Watcher, type WatcherSettings } from './start-watcher.ts'

export interface WatchedCluster {
  readonly cluster: string
  readonly connection: KubeConnection
  readonly sender: Pick<MessageSender, 'send'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export function watchCluster(ports: WatchedCluster, overrides: Partial<WatcherSettings> = {}): Watcher {
  const { connection, ...rest } = ports
  const watcher = startWatcher(
    { ...rest, feed: makeResourceFeed(connection, rest), reader: makeKubernetes(connection, rest) },
    overrides,
  )
  return {
    ...watcher,
    async stop() {
      await watcher.stop()
      connection.close()
    },
  }
}
