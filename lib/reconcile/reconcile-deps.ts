import type { Clock, Ids, Log, Random } from '../ambient/ports.ts'
import type { ChangeHost } from '../hosts/change-host.ts'
import type { Clusters as Heartbeats, HostStore, NodeClaimBindings } from '../hosts/ports.ts'
import type { Clusters, EventRecorder, Kubernetes } from '../kubernetes/ports.ts'
import type { MessageSender } from '../messages/ports.ts'
import type { PoolSettings } from './inventory.ts'

/** What reconcile is made of; functions/reconcile/compose.ts makes it. */
export interface ReconcileDeps {
  readonly clusters: Clusters
  readonly hosts: HostStore
  readonly changeHost: ChangeHost
  readonly bindings: NodeClaimBindings
  readonly heartbeats: Heartbeats
  readonly sender: MessageSender
  readonly events: EventRecorder
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly poolNamespace: string
  /** Pool of a cluster's SSHHosts that name none; the cluster's own name unless configured otherwise. */
  readonly defaultPoolOf: (cluster: string) => string
}

/** One activation for one cluster. */
export interface ClusterScope {
  readonly deps: ReconcileDeps
  readonly cluster: string
  readonly kubernetes: Kubernetes
  readonly pools: PoolSettings
  readonly log: Log
}
