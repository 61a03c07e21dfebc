// One pass of the guard: look at every record, plan, apply. Two passes at once do nothing twice that matters: what they ask for
// are hints, and what they write names the claim and the token that it is about.
import { mapBounded } from '../ambient/map-bounded.ts'
import type { Scope } from '../ambient/ports.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { applyGuard } from './apply-guard.ts'
import { countHosts } from './count-hosts.ts'
import { sumCounts, type GuardCounts } from './guard-counts.ts'
import type { GuardDeps } from './guard-deps.ts'
import { planGuard } from './plan-guard.ts'
import { silentClusters } from './silent-clusters.ts'

export type Guard = (scope: Scope) => Promise<GuardCounts>

export function makeGuard(deps: GuardDeps): Guard {
  return async function guard(scope) {
    const records = await allRecords(deps)
    gaugeHosts(deps, records)
    const plan = planGuard(records, scope.clock.nowMs(), deps.settings)
    const counts = await applyGuard(plan, deps, scope)
    return sumCounts([counts, { silentClusters: await countSilent(deps, scope) }])
  }
}

function gaugeHosts({ gauges }: GuardDeps, records: readonly HostRecord[]): void {
  for (const { pool, state, hostClass, hosts } of countHosts(records)) {
    gauges.set('poolHosts', hosts, { pool, state, class: hostClass })
  }
}

async function allRecords({ hosts }: GuardDeps): Promise<readonly HostRecord[]> {
  const lists: (readonly HostRecord[])[] = []
  for (const pool of await hosts.pools()) lists.push(await hosts.list(pool))
  return lists.flat()
}

async function countSilent(deps: GuardDeps, scope: Scope): Promise<number> {
  const heartbeats = await mapBounded(deps.clusterNames, deps.settings.maxParallel, async (cluster) => ({
    cluster,
    item: await deps.heartbeats.get(cluster),
  }))
  const silent = silentClusters(heartbeats, scope.clock.nowMs(), deps.settings)
  for (const cluster of silent) scope.log.error('guard.heartbeat-missing', { cluster })
  return silent.length
}
