import { mapBounded } from '../ambient/map-bounded.ts'
import type { HostKey, HostRecord } from '../hosts/host-record.ts'
import type { InventoryAction } from './plan-inventory.ts'
import type { ClusterScope } from './reconcile-deps.ts'

const parallelWrites = 8
/** Hosts that one ProbeHosts message names. */
const probeChunk = 25
const probeWindowMs = 10 * 60_000

/** Returns what happened, by kind. Hosts that are new or reached in another way are looked at at once. */
export async function applyInventory(
  scope: ClusterScope,
  actions: readonly InventoryAction[],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  await mapBounded(actions, parallelWrites, async (action) => {
    if (await applyAction(scope, action)) counts[action.kind] = (counts[action.kind] ?? 0) + 1
  })
  await requestProbes(scope, keysOf(actions, 'take-in'), 'TakeIn')
  await requestProbes(scope, keysOf(actions, 'note'), 'InventoryChanged')
  return counts
}

function keysOf(actions: readonly InventoryAction[], kind: 'take-in' | 'note'): readonly HostKey[] {
  return actions.flatMap((action) =>
    action.kind === kind && (action.kind === 'take-in' || action.isLookDue) ? [action.record.key] : [],
  )
}

async function applyAction(scope: ClusterScope, action: InventoryAction): Promise<boolean> {
  const { deps } = scope
  switch (action.kind) {
    case 'take-in':
      return takeIn(scope, action.record)
    case 'note': {
      const outcome = await deps.changeHost(action.record.key, action.event, deps.clock.nowMs())
      return outcome.kind === 'changed'
    }
    case 'forget':
      return (await deps.hosts.remove(action.record.key, action.record.version)) === 'removed'
  }
}

/** With the claim, the binding comes back: its NodeClaim must not take another host. */
async function takeIn({ deps }: ClusterScope, record: HostRecord): Promise<boolean> {
  const outcome = await deps.hosts.create({ ...record, writeID: deps.ids.next() })
  const uid = outcome.kind === 'created' ? (record.claim?.uid ?? '') : ''
  if (uid !== '') await deps.bindings.bind(uid, record.key)
  return outcome.kind === 'created'
}

async function requestProbes(scope: ClusterScope, keys: readonly HostKey[], reason: string): Promise<void> {
  const nowMs = scope.deps.clock.nowMs()
  for (const hosts of messagesOf(keys)) {
    await scope.deps.sender.send('probe', {
      type: 'ProbeHosts',
      version: 1,
      cluster: scope.cluster,
      hosts: [...hosts],
      reason,
      attempt: 1,
      requestedAtMs: nowMs,
      deadlineAtMs: nowMs + probeWindowMs,
    })
  }
}

/** A message names hosts of one pool. */
function messagesOf(keys: readonly HostKey[]): readonly (readonly HostKey[])[] {
  return [...Map.groupBy(keys, ({ pool }) => pool).values()].flatMap((ofPool) =>
    Array.from({ length: Math.ceil(ofPool.length / probeChunk) }, (_, index) =>
      ofPool.slice(index * probeChunk, (index + 1) * probeChunk),
    ),
  )
}
