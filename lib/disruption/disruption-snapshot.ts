import type { NodeClaim } from '../api/node-claim.ts'
import type { NodePool } from '../api/node-pool.ts'
import type { ClusterSnapshot } from '../messages/cluster-observed.ts'

/** Everything that disruption decides from. NodeClaims and NodePools are ours and were read just now. */
export interface DisruptionSnapshot extends Pick<
  ClusterSnapshot,
  'nodes' | 'podShapes' | 'podDisruptionBudgets'
> {
  readonly nodeClaims: readonly NodeClaim[]
  readonly nodePools: readonly NodePool[]
  /** Names of Nodes and NodeClaims that pending pods are expected on. */
  readonly nominated: ReadonlySet<string>
}
