// SSHHost.status for people: written by reconcile alone, and only when it says something new.
import { mapBounded } from '../ambient/map-bounded.ts'
import type { SSHHost, SSHHostStatus } from '../api/ssh-host.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { projectHostStatus } from '../hosts/project-host-status.ts'
import { sshHosts as sshHostResource } from '../kubernetes/resources.ts'
import { hostKeyOf } from './inventory.ts'
import type { ClusterScope } from './reconcile-deps.ts'

const parallelWrites = 8
/** A probe that saw nothing new is not worth a write more often than this. */
const probeTimeLagMs = 10 * 60_000

export async function projectHosts(
  scope: ClusterScope,
  sshHosts: readonly SSHHost[],
  records: ReadonlyMap<string, HostRecord>,
): Promise<number> {
  const nowMs = scope.deps.clock.nowMs()
  const patches = sshHosts.flatMap((sshHost) => {
    const record = records.get(hostKeyText(hostKeyOf(sshHost, scope.pools)))
    const status = record && planHostStatus(sshHost, record, nowMs)
    return status === undefined ? [] : [{ sshHost, status }]
  })
  await mapBounded(patches, parallelWrites, ({ sshHost, status }) => {
    const { name, namespace } = sshHost.metadata
    const options = { subresource: 'status', ...(namespace === undefined ? {} : { namespace }) } as const
    return scope.kubernetes.patch(sshHostResource, name, { status }, options)
  })
  return patches.length
}

/** A merge patch for the status; undefined when the object says it already. */
export function planHostStatus(sshHost: SSHHost, record: HostRecord, nowMs: number): object | undefined {
  const before = sshHost.status ?? {}
  const { generation } = sshHost.metadata
  const after = projectHostStatus(record, nowMs, { generation, conditions: before.conditions })
  const lagMs = Date.parse(after.lastProbeTime ?? '') - Date.parse(before.lastProbeTime ?? '')
  const isOnlyLater = lagMs < probeTimeLagMs && lagMs >= 0
  const compared = isOnlyLater ? { ...after, lastProbeTime: before.lastProbeTime } : after
  if (canonical(compared) === canonical(before)) return undefined
  const removed = Object.keys(before).filter((key) => !(key in after))
  return { ...after, ...Object.fromEntries(removed.map((key) => [key, null])) }
}

function canonical(status: SSHHostStatus): string {
  return JSON.stringify(status, (_key, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
