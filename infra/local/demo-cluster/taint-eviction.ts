// Sends pods away from nodes whose NoExecute taints they do not tolerate, or no longer.
import { z } from 'zod'
import { Pod } from '../../../lib/api/pod.ts'
import { Taint } from '../../../lib/api/taint.ts'
import { tolerates } from '../../../lib/api/toleration.ts'
import { listOf, recordOf } from '../kube-api/json.ts'
import type { KubeObject } from '../kube-api/kube-object.ts'
import type { Cluster } from './cluster.ts'
import type { Controller } from './control-loop.ts'

const TimedTaint = z.intersection(Taint, z.looseObject({ timeAdded: z.string().optional() }))
type TimedTaint = z.infer<typeof TimedTaint>

export const taintEviction: Controller = {
  name: 'taint-eviction',
  watches: ['/nodes', '/pods'],
  everyMs: 5000,
  reconcile(cluster) {
    const taints = new Map(cluster.list('/nodes').map((node) => [node.metadata.name, noExecuteTaints(node)]))
    for (const object of cluster.list('/pods')) {
      const { data: pod } = Pod.pick({ metadata: true, spec: true }).safeParse(object)
      const here = taints.get(pod?.spec.nodeName ?? '') ?? []
      if (!pod || here.length === 0 || object.metadata.deletionTimestamp !== undefined) continue
      if (here.some((taint) => isTimeToGo(cluster, pod, taint))) cluster.remove('/pods', object)
    }
  },
}

function noExecuteTaints(node: KubeObject): readonly TimedTaint[] {
  return listOf(recordOf(node['spec'])['taints']).flatMap((value) => {
    const { data: taint } = TimedTaint.safeParse(value)
    return taint?.effect === 'NoExecute' ? [taint] : []
  })
}

function isTimeToGo({ nowMs }: Cluster, pod: Pick<Pod, 'spec'>, taint: TimedTaint): boolean {
  const matching = (pod.spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint))
  if (matching.length === 0) return true
  const limits = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? [])
  // One toleration without a limit holds the pod for good.
  if (limits.length < matching.length) return false
  const sinceMs = taint.timeAdded === undefined ? nowMs : Date.parse(taint.timeAdded)
  return nowMs - sinceMs >= Math.min(...limits) * 1000
}
