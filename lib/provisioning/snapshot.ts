import type { ClusterSnapshot } from '../messages/cluster-observed.ts'
import type { FreeHost } from './free-host.ts'

type Observed = Pick<
  ClusterSnapshot,
  'nodePools' | 'nodeClaims' | 'nodes' | 'pendingPods' | 'podShapes' | 'daemonSets'
>

/** What a claimed host offers to its NodeClaim. */
export type ClaimedHost = Pick<FreeHost, 'hostClass' | 'capacity' | 'allocatable' | 'arch' | 'zone'>

/** Everything that provisioning decides from. Objects of neighbors are in it too: they are capacity, never touched. */
export interface ProvisioningSnapshot extends Observed {
  /** By name of the node class. Empty for a class that is not Ready. */
  readonly freeHosts: ReadonlyMap<string, readonly FreeHost[]>
  /** By uid of the NodeClaim, for those whose status does not tell the size of their host yet. */
  readonly claimedHosts: ReadonlyMap<string, ClaimedHost>
}
