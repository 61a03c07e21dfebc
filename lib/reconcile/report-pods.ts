// Tells each pending pod what was found out about it: which node it is expected on, or why there will be none.
import type { ClusterSnapshot, PendingPod } from '../messages/cluster-observed.ts'
import type { ProvisioningPlan } from '../provisioning/plan-provisioning.ts'
import type { ClusterScope } from './reconcile-deps.ts'

/** Events of one activation: a flood of them would tell nobody anything. */
const maxEvents = 100

export async function reportPods(
  scope: ClusterScope,
  snapshot: ClusterSnapshot,
  plan: ProvisioningPlan,
): Promise<void> {
  const podOf = new Map(snapshot.pendingPods.map((pod) => [pod.uid, pod]))
  const failures = plan.unplaced
    // A neighbor's pod is not ours to complain about.
    .filter(({ reasons }) => reasons.every(({ code }) => code !== 'LeftToNeighbor'))
    .slice(0, maxEvents)
  for (const { uid, reasons } of failures) {
    const pod = podOf.get(uid)
    const message = reasons
      .map((reason) =>
        reason.nodePool === undefined ? reason.message : `NodePool "${reason.nodePool}": ${reason.message}`,
      )
      .join('; ')
    if (pod !== undefined) await tell(scope, pod, { type: 'Warning', reason: 'FailedScheduling', message })
  }
}

async function tell(
  { deps, cluster }: ClusterScope,
  pod: PendingPod,
  event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Pod', name: pod.name, namespace: pod.namespace, uid: pod.uid }
  await deps.events.record({ cluster, object, ...event })
}
