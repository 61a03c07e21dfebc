// Tells the control plane what the view says now, unless that is what it was told last.
import type { Clock } from '../ambient/ports.ts'
import { SpecError } from '../errors/spec-error.ts'
import { TransientError } from '../errors/transient-error.ts'
import type { KubernetesReader } from '../kubernetes/ports.ts'
import { namespaces } from '../kubernetes/resources.ts'
import type { ClusterObserved, ClusterSnapshot } from '../messages/cluster-observed.ts'
import type { MessageSender } from '../messages/ports.ts'
import { type ClusterView, digestOf, snapshotOf } from '../watch/cluster-view.ts'
import { type MessageFrame, type MessageLimits, toClusterObserved } from '../watch/to-cluster-observed.ts'
import { estimatedBodyBytes, exactBodyBytes } from './body-bytes.ts'

export interface TellerDeps {
  readonly cluster: string
  readonly view: ClusterView
  readonly reader: Pick<KubernetesReader, 'get'>
  readonly sender: Pick<MessageSender, 'send'>
  readonly clock: Clock
  readonly limits: Pick<MessageLimits, 'maxPendingPods' | 'maxBytes'>
}

/** The message that was sent; undefined if nothing that matters changed since the last. */
export type Tell = (reason: ClusterObserved['reason']) => Promise<ClusterObserved | undefined>

export function makeTeller(deps: TellerDeps): Tell {
  let clusterUid: string | undefined
  let lastDigest: string | undefined
  return async (reason) => {
    clusterUid ??= await readClusterUid(deps)
    const snapshot = snapshotOf(deps.view)
    const digest = digestOf(snapshot)
    if (reason === 'Changed' && digest === lastDigest) return undefined
    const frame = { cluster: deps.cluster, clusterUid, sentAtMs: deps.clock.nowMs(), reason }
    const message = await sendFitting(deps, snapshot, frame)
    lastDigest = digest
    return message
  }
}

/** The estimate of a message's size is generous; where it was wrong, the message is made smaller by exact sizes. */
async function sendFitting(
  { sender, limits }: TellerDeps,
  snapshot: ClusterSnapshot,
  frame: MessageFrame,
): Promise<ClusterObserved> {
  const message = toClusterObserved(snapshot, frame, { ...limits, sizeOf: estimatedBodyBytes })
  try {
    await sender.send('events', message)
    return message
  } catch (error) {
    if (!(error instanceof SpecError)) throw error
  }
  const smaller = toClusterObserved(snapshot, frame, { ...limits, sizeOf: exactBodyBytes })
  await sender.send('events', smaller)
  return smaller
}

async function readClusterUid({ reader, cluster }: TellerDeps): Promise<string> {
  const namespace = await reader.get(namespaces, 'kube-system')
  if (namespace !== undefined) return namespace.metadata.uid
  throw new TransientError(
    `Cannot identify the cluster "${cluster}": it has no namespace "kube-system" yet, it is tried again later`,
    { reason: 'ClusterUnidentified' },
  )
}
