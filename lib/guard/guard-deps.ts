import type { Gauges } from '../ambient/ports.ts'
import type { ChangeHost } from '../hosts/change-host.ts'
import type { Clusters as ClusterItems, HostReader } from '../hosts/ports.ts'
import type { Clusters } from '../kubernetes/ports.ts'
import type { MessageSender } from '../messages/ports.ts'
import type { GuardSettings } from './guard-settings.ts'

export interface GuardDeps {
  readonly hosts: HostReader
  readonly changeHost: ChangeHost
  readonly clusters: Clusters
  /** When each cluster's watcher was heard last. */
  readonly heartbeats: Pick<ClusterItems, 'get'>
  readonly messages: Pick<MessageSender, 'send'>
  readonly gauges: Gauges
  readonly settings: GuardSettings
  /** Clusters whose watcher must be heard. */
  readonly clusterNames: readonly string[]
}
