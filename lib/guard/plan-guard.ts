// From all records to what is to be done about them. Pure; the same records at the same time give the same plan, in the order
// of the records.
import { clusterOf } from '../hosts/cluster-of.ts'
import type { HostKey, HostRecord, Run } from '../hosts/host-record.ts'
import { classifyHost } from './classify-host.ts'
import type { GuardSettings } from './guard-settings.ts'

export type GuardAction =
  /** Hosts of one pool and one cluster, at most as many as one message may name. */
  | { readonly kind: 'probe'; readonly cluster: string; readonly hosts: readonly HostKey[] }
  | { readonly kind: 'leave'; readonly record: HostRecord }
  | { readonly kind: 'resume-run'; readonly record: HostRecord; readonly run: Run }
  | { readonly kind: 'check-claims'; readonly cluster: string; readonly records: readonly HostRecord[] }
  | { readonly kind: 'check-nodes'; readonly cluster: string; readonly records: readonly HostRecord[] }
  | { readonly kind: 'collect-tokens'; readonly record: HostRecord; readonly tokenIDs: readonly string[] }

export interface GuardPlan {
  readonly examined: number
  /** Owes a leave that may not be done yet: it backs off, is parked, quarantined or not taken in. */
  readonly waiting: number
  readonly actions: readonly GuardAction[]
}

export function planGuard(records: readonly HostRecord[], nowMs: number, settings: GuardSettings): GuardPlan {
  const examined = records.map((record) => ({ record, findings: classifyHost(record, nowMs, settings) }))
  const having = (holds: (one: (typeof examined)[number]) => boolean): readonly HostRecord[] =>
    examined.filter(holds).map(({ record }) => record)

  return {
    examined: records.length,
    waiting: having(({ findings }) => findings.owedLeave === 'waits').length,
    actions: [
      ...having(({ findings }) => findings.owedLeave === 'due').map((record) => ({
        kind: 'leave' as const,
        record,
      })),
      ...examined.flatMap(({ record, findings: { abandonedRun: run } }) =>
        run === undefined ? [] : [{ kind: 'resume-run' as const, record, run }],
      ),
      ...byCluster(having(({ findings }) => findings.claimToCheck !== undefined)).map(([cluster, held]) => ({
        kind: 'check-claims' as const,
        cluster,
        records: held,
      })),
      ...byCluster(having(({ findings }) => findings.isNodeSuspect)).map(([cluster, left]) => ({
        kind: 'check-nodes' as const,
        cluster,
        records: left,
      })),
      ...examined.flatMap(({ record, findings: { spentTokens: tokenIDs } }) =>
        tokenIDs.length === 0 ? [] : [{ kind: 'collect-tokens' as const, record, tokenIDs }],
      ),
      ...probesOf(
        having(({ findings }) => findings.isProbeDue),
        settings,
      ),
    ],
  }
}

function byCluster(records: readonly HostRecord[]): readonly (readonly [string, readonly HostRecord[]])[] {
  return [...Map.groupBy(records, clusterOf)]
}

/** Hosts that did not answer last time hold up only each other. */
function probesOf(due: readonly HostRecord[], { hostsPerProbe }: GuardSettings): readonly GuardAction[] {
  const lane = (record: HostRecord): string =>
    JSON.stringify([record.cluster, record.key.pool, record.probeError === undefined])
  return [...Map.groupBy(due, lane).values()].flatMap((records) =>
    chunks(records, hostsPerProbe).map((chunk) => ({
      kind: 'probe' as const,
      cluster: chunk[0]?.cluster ?? '',
      hosts: chunk.map(({ key }) => key),
    })),
  )
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
