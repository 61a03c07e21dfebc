// What the inventory asks of the table: hosts to take in, changed ones to note, gone ones to forget.
import type { SSHHost } from '../api/ssh-host.ts'
import type { HostEvent } from '../hosts/host-event.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { isTied } from '../hosts/inventory-rules.ts'
import { newHostRecord } from '../hosts/new-host-record.ts'
import { applyHostEvent } from '../hosts/transitions.ts'
import { hostKeyOf, inventoryOf, type PoolSettings } from './inventory.ts'

export type InventoryAction =
  | { readonly kind: 'take-in'; readonly record: HostRecord }
  | { readonly kind: 'note'; readonly record: HostRecord; readonly event: HostEvent }
  | { readonly kind: 'forget'; readonly record: HostRecord }

export interface InventoryView {
  readonly cluster: string
  readonly pools: PoolSettings
  readonly sshHosts: readonly SSHHost[]
  /** By hostKeyText. */
  readonly records: ReadonlyMap<string, HostRecord>
  /** Agent units by profile name. */
  readonly agentUnits: ReadonlyMap<string, readonly string[]>
}

export function planInventory(view: InventoryView, nowMs: number): readonly InventoryAction[] {
  const named = new Set(view.sshHosts.map((sshHost) => hostKeyText(hostKeyOf(sshHost, view.pools))))
  const forgotten = [...view.records.values()].filter(
    (record) => record.cluster === view.cluster && !named.has(hostKeyText(record.key)) && !isTied(record),
  )
  return [
    ...view.sshHosts.flatMap((sshHost) => planHost(view, sshHost, nowMs)),
    ...forgotten.map((record): InventoryAction => ({ kind: 'forget', record })),
  ]
}

function planHost(view: InventoryView, sshHost: SSHHost, nowMs: number): readonly InventoryAction[] {
  const key = hostKeyOf(sshHost, view.pools)
  const record = view.records.get(hostKeyText(key))
  if (record === undefined) {
    if (sshHost.metadata.deletionTimestamp !== undefined) return []
    const inventory = inventoryOf(sshHost, view.cluster, unitsOf(view, sshHost.status?.installedProfile))
    return [{ kind: 'take-in', record: newHostRecord(key, inventory, sshHost.status) }]
  }
  const inventory = inventoryOf(sshHost, view.cluster, unitsOf(view, record.installed))
  const event: HostEvent = { kind: 'inventory-seen', inventory }
  return applyHostEvent(record, event, nowMs).kind === 'moved' ? [{ kind: 'note', record, event }] : []
}

function unitsOf(view: InventoryView, marker: string | undefined): readonly string[] {
  return view.agentUnits.get(marker?.split('@')[0] ?? '') ?? ['kubelet']
}
