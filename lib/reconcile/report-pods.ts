// Tells each pending pod what was found out about it: which node it is expected on, or why there will be none.
import { mapBounded } from '../ambient/map-bounded.ts'
import type { PendingPod } from '../messages/cluster-observed.ts'
import type { Nomination } from '../provisioning/packing.ts'
import type { UnplacedPod } from '../provisioning/unplaced.ts'
import type { ClusterScope } from './reconcile-deps.ts'

/** Events of one activation: a flood of them would tell nobody anything. */
const maxEvents = 100
const parallelEvents = 8

export interface PodVerdicts {
  readonly nominations: readonly Nomination[]
  readonly unplaced: readonly UnplacedPod[]
}

export async function reportPods(
  { deps, cluster }: ClusterScope,
  pendingPods: readonly PendingPod[],
  verdicts: PodVerdicts,
): Promise<void> {
  const podOf = new Map(pendingPods.map((pod) => [pod.uid, pod]))
  await mapBounded(newsOf(verdicts).slice(0, maxEvents), parallelEvents, async ({ uid, ...event }) => {
    const pod = podOf.get(uid)
    if (pod === undefined) return
    const object = { apiVersion: 'v1', kind: 'Pod', name: pod.name, namespace: pod.namespace, uid }
    await deps.events.record({ cluster, object, ...event })
  })
}

interface PodNews {
  readonly uid: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** Bad news first, in case there is too much of both. */
function newsOf({ nominations, unplaced }: PodVerdicts): readonly PodNews[] {
  const failures = unplaced
    // A neighbor's pod is not ours to complain about.
    .filter(({ reasons }) => reasons.every(({ code }) => code !== 'LeftToNeighbor'))
    .map((pod): PodNews => ({
      uid: pod.uid,
      type: 'Warning',
      reason: 'FailedScheduling',
      message: explain(pod),
    }))
  const successes = nominations.map(({ podUid, target }): PodNews => ({
    uid: podUid,
    type: 'Normal',
    reason: 'Nominated',
    message: `The pod is expected on "${target}"`,
  }))
  return [...failures, ...successes]
}

function explain({ reasons }: UnplacedPod): string {
  return reasons
    .map(({ nodePool, message }) => (nodePool === undefined ? message : `NodePool "${nodePool}": ${message}`))
    .join('; ')
}
