// Nodes left behind: the host has left and nobody holds it, yet a Node still carries its providerID and costs money. The
// function that leaves hosts also removes their Nodes, so it is asked once more; it decides whether the Node is ours to remove.
// A Node that is Ready has an agent behind it: removing it first would only hide the agent. The probe of the same pass sees
// that agent, and a leave comes before its Node goes.
import { isConditionTrue } from '../api/condition.ts'
import type { Scope } from '../ambient/ports.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { staticProviderID } from '../hosts/provider-id.ts'
import { nodes } from '../kubernetes/resources.ts'
import { askForLeave } from './ask.ts'
import { attempted } from './attempted.ts'
import { confirmed, spared, sumCounts, type GuardCounts } from './guard-counts.ts'
import type { GuardDeps } from './guard-deps.ts'

export async function checkNodes(
  deps: GuardDeps,
  { cluster, records }: { readonly cluster: string; readonly records: readonly HostRecord[] },
  scope: Scope,
): Promise<GuardCounts> {
  const existing = await deps.clusters.connect(cluster).list(nodes)
  const silent = existing.filter(({ status }) => !isConditionTrue(status?.conditions, 'Ready'))
  const providerIDs = new Set(silent.map(({ spec }) => spec?.providerID))
  const all: Partial<GuardCounts>[] = []
  for (const record of records.filter(({ key }) => providerIDs.has(staticProviderID(key)))) {
    const ask = () => askForRemoval(deps, record, scope)
    all.push(await attempted(ask, { scope, action: 'check-node', host: record.key, otherwise: spared }))
  }
  return sumCounts(all)
}

/** Claimed meanwhile, the Node is its new one. */
async function askForRemoval(
  deps: GuardDeps,
  suspect: HostRecord,
  scope: Scope,
): Promise<Partial<GuardCounts>> {
  const record = await deps.hosts.get(suspect.key)
  if (record === undefined || record.fence !== suspect.fence || record.claim !== undefined) return spared
  await askForLeave(deps, { record, reason: 'NodeLeftBehind' }, scope.clock.nowMs())
  return confirmed
}
