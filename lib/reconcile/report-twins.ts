import { kpsshApiVersion } from '../api/names.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { findTwins } from './find-twins.ts'
import type { ClusterScope } from './reconcile-deps.ts'

/** An operator alone can tell which of the names is the machine's. */
export async function reportTwins(
  { deps, cluster }: ClusterScope,
  sshHosts: ClusterWorld['sshHosts'],
  records: ReadonlyMap<string, HostRecord>,
): Promise<void> {
  for (const [text, twin] of findTwins([...records.values()])) {
    const sshHost = sshHosts.get(text)
    if (sshHost === undefined) continue
    const { name, namespace = '', uid } = sshHost.metadata
    await deps.events.record({
      cluster,
      object: { apiVersion: kpsshApiVersion, kind: 'SSHHost', name, namespace, uid },
      type: 'Warning',
      reason: 'SharedMachine',
      message: `Host "${twin}" has the same address or host key: neither is claimed, delete the SSHHost that is one too many`,
    })
  }
}
