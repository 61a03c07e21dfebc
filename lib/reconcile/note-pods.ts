// When pods came to a Node or went: consolidateAfter counts from there. The watcher tells states, not events, so what the
// Node carried last time is kept as a digest beside the time.
import { createHash } from 'node:crypto'
import { annotations } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import { formatInstant, parseInstantMs } from '../api/rfc3339.ts'
import { nodeClaims } from '../kubernetes/resources.ts'
import type { PodShape } from '../messages/cluster-observed.ts'
import { isTrue } from '../node-claim/node-claim-view.ts'
import type { ClusterScope } from './reconcile-deps.ts'

/** As Karpenter: not written more often than this for one NodeClaim. */
const minIntervalMs = 10_000

export interface PodNote {
  readonly digest: string
  readonly lastPodEventTime: string
}

/** undefined when nothing came or went, or it was noted a moment ago. */
export function planPodNote(
  nodeClaim: NodeClaim,
  shapes: readonly PodShape[],
  nowMs: number,
): PodNote | undefined {
  const nodeName = nodeClaim.status?.nodeName
  if (nodeName === undefined || !isTrue(nodeClaim, 'Registered')) return undefined
  const digest = digestOf(nodeName, shapes)
  if (digest === (nodeClaim.metadata.annotations?.[annotations.podDigest] ?? '')) return undefined
  const lastMs = parseInstantMs(nodeClaim.status?.lastPodEventTime) ?? 0
  return nowMs - lastMs < minIntervalMs ? undefined : { digest, lastPodEventTime: formatInstant(nowMs) }
}

/** Empty for a Node without pods of its own: daemons and mirror pods do not count. */
function digestOf(nodeName: string, shapes: readonly PodShape[]): string {
  const present = shapes
    .filter(
      ({ nodes, ownerKind }) =>
        (nodes[nodeName] ?? 0) > 0 && ownerKind !== 'DaemonSet' && ownerKind !== 'Node',
    )
    // Readiness flips are not pod events.
    .map((shape) => JSON.stringify([{ ...shape, nodes: shape.nodes[nodeName], isReady: undefined }]))
    .sort()
  return present.length === 0
    ? ''
    : createHash('sha256').update(present.join('\n')).digest('hex').slice(0, 16)
}

export async function notePods(
  scope: ClusterScope,
  claims: readonly NodeClaim[],
  shapes: readonly PodShape[],
): Promise<readonly NodeClaim[]> {
  const noted: NodeClaim[] = []
  for (const nodeClaim of claims) {
    const note = planPodNote(nodeClaim, shapes, scope.deps.clock.nowMs())
    noted.push(note === undefined ? nodeClaim : await write(scope, nodeClaim, note))
  }
  return noted
}

async function write({ kubernetes }: ClusterScope, nodeClaim: NodeClaim, note: PodNote): Promise<NodeClaim> {
  const { name } = nodeClaim.metadata
  const { lastPodEventTime, digest } = note
  const timed = await kubernetes.patch(
    nodeClaims,
    name,
    { status: { lastPodEventTime } },
    { subresource: 'status' },
  )
  if (timed.kind !== 'patched') return nodeClaim
  const patch = { metadata: { annotations: { [annotations.podDigest]: digest } } }
  const outcome = await kubernetes.patch(nodeClaims, name, patch)
  return outcome.kind === 'patched' ? outcome.object : timed.object
}
