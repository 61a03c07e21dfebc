// SSHHost.status for people: written by reconcile alone, and only when it says something new. What is worth an event is told
// with it.
import { mapBounded } from '../ambient/map-bounded.ts'
import { kpsshApiVersion } from '../api/names.ts'
import type { SSHHost, SSHHostStatus } from '../api/ssh-host.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { projectHostStatus } from '../hosts/project-host-status.ts'
import { sshHosts as sshHostResource } from '../kubernetes/resources.ts'
import { hostKeyOf } from './inventory.ts'
import { planHostNews, type HostNews } from './plan-host-news.ts'
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
  const projections = sshHosts.flatMap((sshHost) => {
    const record = records.get(hostKeyText(hostKeyOf(sshHost, scope.pools)))
    const projection = record && planProjection(sshHost, record, { cluster: scope.cluster, nowMs })
    return projection === undefined ? [] : [{ sshHost, ...projection }]
  })
  await mapBounded(projections, parallelWrites, async ({ sshHost, status, news }) => {
    const { name, namespace } = sshHost.metadata
    const options = { subresource: 'status', ...(namespace === undefined ? {} : { namespace }) } as const
    const outcome = await scope.kubernetes.patch(sshHostResource, name, { status }, options)
    if (outcome.kind === 'patched') await tell(scope, sshHost, news)
  })
  return projections.length
}

async function tell(
  { deps, cluster }: ClusterScope,
  { metadata: { name, namespace, uid } }: SSHHost,
  news: readonly HostNews[],
): Promise<void> {
  const object = {
    ...{ apiVersion: kpsshApiVersion, kind: 'SSHHost', name, uid },
    ...(namespace === undefined ? {} : { namespace }),
  }
  for (const item of news) await deps.events.record({ cluster, object, ...item })
}

export interface Projection {
  /** A merge patch. */
  readonly status: object
  readonly news: readonly HostNews[]
}

/** undefined when the object says it already. */
export function planProjection(
  sshHost: SSHHost,
  record: HostRecord,
  { cluster, nowMs }: { readonly cluster: string; readonly nowMs: number },
): Projection | undefined {
  const before = sshHost.status ?? {}
  const { generation } = sshHost.metadata
  const after = projectHostStatus(record, nowMs, { generation, conditions: before.conditions, cluster })
  const lagMs = Date.parse(after.lastProbeTime ?? '') - Date.parse(before.lastProbeTime ?? '')
  const isOnlyLater = lagMs < probeTimeLagMs && lagMs >= 0
  const compared = isOnlyLater ? { ...after, lastProbeTime: before.lastProbeTime } : after
  if (canonical(compared) === canonical(before)) return undefined
  const removed = Object.keys(before).filter((key) => !(key in after))
  const status = { ...after, ...Object.fromEntries(removed.map((key) => [key, null])) }
  return { status, news: planHostNews(sshHost, record, after) }
}

function canonical(status: SSHHostStatus): string {
  return JSON.stringify(status, (_key, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
