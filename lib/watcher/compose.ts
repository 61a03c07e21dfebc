// The watcher as a process of its own: who it is, what it listens to, where it tells.
import { inClusterConnection, kubeconfigConnection } from '../adapters/kubernetes/connection.ts'
import { makeSystemClock } from '../adapters/node/clock.ts'
import { makeSystemRandom, makeUuids } from '../adapters/node/random.ts'
import { makeSqsClient } from '../adapters/sqs/make-sqs-client.ts'
import { makeSqsMessageSender } from '../adapters/sqs/message-sender.ts'
import type { WatcherConfig } from './config.ts'
import { type HealthServer, serveHealth } from './health-server.ts'
import { makeLineLog } from './line-log.ts'
import { watchCluster } from './watch-cluster.ts'

export interface WatcherProcess {
  readonly health: HealthServer
  stop(): Promise<void>
}

export async function composeWatcher(config: WatcherConfig): Promise<WatcherProcess> {
  const clock = makeSystemClock()
  const client = makeSqsClient({
    region: config.AWS_REGION,
    ...(config.KPSSH_SQS_ENDPOINT === undefined ? {} : { endpoint: config.KPSSH_SQS_ENDPOINT }),
  })
  const watcher = watchCluster({
    cluster: config.KPSSH_CLUSTER,
    connection:
      config.KUBECONFIG === undefined
        ? inClusterConnection()
        : kubeconfigConnection({ file: config.KUBECONFIG }),
    sender: makeSqsMessageSender({
      client,
      queueUrls: { events: config.KPSSH_EVENTS_QUEUE },
      deadLetterUrls: {},
      ids: makeUuids(),
    }),
    clock,
    random: makeSystemRandom(),
    log: makeLineLog(clock, (line) => process.stdout.write(line)),
  })
  const health = await serveHealth(watcher, { port: config.KPSSH_HEALTH_PORT })
  return {
    health,
    async stop() {
      await watcher.stop()
      await health.close()
      client.destroy()
    },
  }
}
