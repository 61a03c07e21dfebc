import { finalizers } from '../api/names.ts'
import type { Node } from '../api/node.ts'
import { TransientError } from '../errors/transient-error.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { Kubernetes } from '../kubernetes/ports.ts'
import { nodes } from '../kubernetes/resources.ts'
import { ownNodes } from './own-nodes.ts'

/** Deletes what stands for a host that has left. Looks again at every step, since the Node may have changed hands. */
export async function removeOwnNodes(kubernetes: Kubernetes, host: HostRecord): Promise<void> {
  for (const node of ownNodes(await kubernetes.list(nodes), host)) await removeNode(kubernetes, node)
}

async function removeNode(kubernetes: Kubernetes, node: Node): Promise<void> {
  const { name, uid, resourceVersion } = node.metadata
  const held = node.metadata.finalizers ?? []
  if (held.includes(finalizers.termination)) {
    const kept = held.filter((finalizer) => finalizer !== finalizers.termination)
    const outcome = await kubernetes.patch(nodes, name, { metadata: { resourceVersion, finalizers: kept } })
    if (outcome.kind === 'not-found') return
    if (outcome.kind !== 'patched') throw notRemoved(name, outcome.kind)
  }
  // Another uid under the name is another Node: not ours to delete.
  await kubernetes.delete(nodes, name, { uid })
}

function notRemoved(name: string, state: string): TransientError {
  return new TransientError(
    `Cannot remove Node "${name}": its finalizers changed meanwhile (${state}), look again`,
    {
      reason: 'NodeChanged',
      retryAfterMs: 1000,
    },
  )
}
