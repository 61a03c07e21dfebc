// The finalizer that keeps an SSHHost while its host is a member or owes a leave. Looked at when everything else of an activation
// is done, so that a host is held from its claim on, and let go as soon as it has left.
import { mapBounded } from '../ambient/map-bounded.ts'
import { finalizers } from '../api/names.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { isTied } from '../hosts/inventory-rules.ts'
import { sshHosts as sshHostResource } from '../kubernetes/resources.ts'
import { hostKeyOf } from './inventory.ts'
import type { ClusterScope } from './reconcile-deps.ts'

const parallelWrites = 8

/** Returns how many were held or let go. */
export async function holdHosts(
  scope: ClusterScope,
  sshHosts: readonly SSHHost[],
  records: ReadonlyMap<string, HostRecord>,
): Promise<number> {
  const recordOf = (sshHost: SSHHost) => records.get(hostKeyText(hostKeyOf(sshHost, scope.pools)))
  const due = sshHosts.filter((sshHost) => planFinalizers(sshHost, recordOf(sshHost)) !== undefined)
  const written = await mapBounded(due, parallelWrites, (sshHost) => write(scope, sshHost, recordOf(sshHost)))
  return written.filter((isWritten) => isWritten).length
}

/** The finalizers that the SSHHost should have; undefined when it has them. One that is being deleted takes no more. */
export function planFinalizers(
  { metadata }: SSHHost,
  record: HostRecord | undefined,
): readonly string[] | undefined {
  const present = metadata.finalizers ?? []
  const isHeld = present.includes(finalizers.membership)
  const isWanted = record !== undefined && isTied(record)
  if (isWanted === isHeld) return undefined
  if (!isWanted) return present.filter((each) => each !== finalizers.membership)
  return metadata.deletionTimestamp === undefined ? [...present, finalizers.membership] : undefined
}

/** From a fresh read: what a snapshot knows of an SSHHost is older than its last status. */
async function write(
  { kubernetes }: ClusterScope,
  { metadata: { name, namespace, uid } }: SSHHost,
  record: HostRecord | undefined,
): Promise<boolean> {
  const sshHost = await kubernetes.get(sshHostResource, name, namespace)
  const planned = sshHost?.metadata.uid === uid ? planFinalizers(sshHost, record) : undefined
  if (sshHost === undefined || planned === undefined) return false
  const patch = { metadata: { resourceVersion: sshHost.metadata.resourceVersion, finalizers: planned } }
  const options = namespace === undefined ? {} : { namespace }
  return (await kubernetes.patch(sshHostResource, name, patch, options)).kind === 'patched'
}
