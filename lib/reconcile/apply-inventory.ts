import { mapBounded } from '../ambient/map-bounded.ts'
import type { HostKey } from '../hosts/host-record.ts'
import type { InventoryAction } from './plan-inventory.ts'
import type { ClusterScope } from './reconcile-deps.ts'

const parallelWrites = 8
/** Hosts that one ProbeHosts message names. */
const probeChunk = 25
const probeWindowMs = 10 * 60_000

/** Returns what happened, by kind. Newly taken-in hosts are probed at once. */
export async function applyInventory(
  scope: ClusterScope,
  actions: readonly InventoryAction[],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  await mapBounded(actions, parallelWrites, async (action) => {
    if (await applyAction(scope, action)) counts[action.kind] = (counts[action.kind] ?? 0) + 1
  })
  const takenIn = actions.flatMap((action) => (action.kind === 'take-in' ? [action.record.key] : []))
  await requestProbes(scope, takenIn)
  return counts
}

async function applyAction(scope: ClusterScope, action: InventoryAction): Promise<boolean> {
  const { deps } = scope
  switch (action.kind) {
    case 'take-in': {
      const outcome = await deps.hosts.create({ ...action.record, writeID: deps.ids.next() })
      return outcome.kind === 'created'
    }
    case 'note': {
      const outcome = await deps.changeHost(action.record.key, action.event, deps.clock.nowMs())
      return outcome.kind === 'changed'
    }
    case 'forget':
      return (await deps.hosts.remove(action.record.key, action.record.version)) === 'removed'
  }
}

async function requestProbes(scope: ClusterScope, keys: readonly HostKey[]): Promise<void> {
  const nowMs = scope.deps.clock.nowMs()
  for (let start = 0; start < keys.length; start += probeChunk) {
    await scope.deps.sender.send('probe', {
      type: 'ProbeHosts',
      version: 1,
      cluster: scope.cluster,
      hosts: keys.slice(start, start + probeChunk),
      reason: 'TakeIn',
      attempt: 1,
      requestedAtMs: nowMs,
      deadlineAtMs: nowMs + probeWindowMs,
    })
  }
}
