// One activation of the control plane for one cluster: look, decide, act. Level-triggered: a message only says that there
// may be something to do; what is done follows from the facts, so that a lost or repeated message changes nothing.
import type { Scope } from '../ambient/ports.ts'
import type { ClusterObserved } from '../messages/cluster-observed.ts'
import type { HostChanged } from '../messages/run-phase.ts'
import { reconcileCluster } from './reconcile-cluster.ts'
import type { ClusterScope, ReconcileDeps } from './reconcile-deps.ts'
import { reconcileHost } from './reconcile-host.ts'

/** What was done, by kind: the log line and the metrics of the activation. */
export type ReconcileCounts = Readonly<Record<string, number>>

export type Reconcile = (message: ClusterObserved | HostChanged, scope: Scope) => Promise<ReconcileCounts>

export function makeReconcile(deps: ReconcileDeps): Reconcile {
  return async function reconcile(message, scope) {
    const { cluster } = message
    const clusterScope: ClusterScope = {
      deps,
      cluster,
      kubernetes: deps.clusters.connect(cluster),
      pools: { defaultPool: deps.defaultPoolOf(cluster), namespace: deps.poolNamespace },
      log: scope.log,
    }
    return message.type === 'ClusterObserved'
      ? reconcileCluster(clusterScope, message)
      : reconcileHost(clusterScope, message)
  }
}
