// The Kubernetes port over HTTP. What happens in normal operation (missing, exists, conflict, invalid, blocked) becomes
// an outcome; everything else is an error of ours.
import type { Clock, Log } from '../../ambient/ports.ts'
import type { Clusters, Kubernetes } from '../../kubernetes/ports.ts'
import { ConfigError } from '../../errors/config-error.ts'
import type { KubeConnection } from './connection.ts'
import { makeReader } from './reader.ts'
import { defaultTimeouts, makeRestClient, type Timeouts } from './rest-client.ts'
import { makeWriter } from './writer.ts'

export interface KubernetesDeps {
  readonly clock: Clock
  readonly log: Log
  readonly timeouts?: Timeouts
}

export function makeKubernetes(connection: KubeConnection, deps: KubernetesDeps): Kubernetes {
  const rest = makeRestClient(connection, { ...deps, timeouts: deps.timeouts ?? defaultTimeouts })
  return { ...makeReader(rest, deps.log), ...makeWriter(rest) }
}

/** Connections by cluster name; each is made once and kept for as long as the process lives. */
export function makeClusters(
  connections: Readonly<Record<string, KubeConnection>>,
  deps: KubernetesDeps,
): Clusters {
  const made = new Map<string, Kubernetes>()
  return {
    connect(cluster) {
      const existing = made.get(cluster)
      if (existing !== undefined) return existing
      const connection = Object.hasOwn(connections, cluster) ? connections[cluster] : undefined
      if (connection === undefined) throw unknownCluster(cluster, Object.keys(connections))
      const kubernetes = makeKubernetes(connection, deps)
      made.set(cluster, kubernetes)
      return kubernetes
    },
  }
}

function unknownCluster(cluster: string, known: readonly string[]): ConfigError {
  const names = known.map((name) => `"${name}"`).join(', ')
  return new ConfigError(
    `Cannot connect to the cluster "${cluster}": nothing is configured for it, configured are ${names || 'none'}`,
    {
      reason: 'ClusterUnknown',
    },
  )
}
