// What the inventory asks of the table: hosts to take in, changed ones to note, gone ones to forget.
import { isDeepStrictEqual } from 'node:util'
import { finalizers } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { SSHHost, SSHHostStatus } from '../api/ssh-host.ts'
import type { HostEvent } from '../hosts/host-event.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { isTied } from '../hosts/inventory-rules.ts'
import { newHostRecord } from '../hosts/new-host-record.ts'
import { applyHostEvent } from '../hosts/transitions.ts'
import { hostKeyOf, inventoryOf, type PoolSettings } from './inventory.ts'

export type InventoryAction =
  | { readonly kind: 'take-in'; readonly record: HostRecord }
  | {
      readonly kind: 'note'
      readonly record: HostRecord
      readonly event: HostEvent
      /** What was seen of the host by its old address, login or key says nothing any more. */
      readonly isLookDue: boolean
    }
  | { readonly kind: 'forget'; readonly record: HostRecord }

export interface InventoryView {
  readonly cluster: string
  readonly pools: PoolSettings
  readonly sshHosts: readonly SSHHost[]
  /** By hostKeyText. */
  readonly records: ReadonlyMap<string, HostRecord>
  /** Agent units by profile name. */
  readonly agentUnits: ReadonlyMap<string, readonly string[]>
  readonly nodeClaims: readonly NodeClaim[]
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
    if (!mayTakeIn(sshHost) || isHeldElsewhere(view, sshHost)) return []
    const inventory = inventoryOf(sshHost, view.cluster, unitsOf(view, sshHost.status?.installedProfile))
    const taken = newHostRecord(key, inventory, withClaimUid(view, sshHost.status))
    return [{ kind: 'take-in', record: { ...taken, leavePending: taken.leavePending || isHeld(sshHost) } }]
  }
  const event: HostEvent = {
    kind: 'inventory-seen',
    inventory: inventoryOf(sshHost, view.cluster, unitsOf(view, record.installed)),
  }
  const transition = applyHostEvent(record, event, nowMs)
  if (transition.kind !== 'moved') return []
  return [{ kind: 'note', record, event, isLookDue: isLookDue(record, transition.record) }]
}

/** One that is being deleted and still held has to leave first. */
function mayTakeIn(sshHost: SSHHost): boolean {
  return sshHost.metadata.deletionTimestamp === undefined || isHeld(sshHost)
}

/** It was a member or owed a leave when the table was lost: no status tells the latter. */
function isHeld({ metadata }: SSHHost): boolean {
  return metadata.finalizers?.includes(finalizers.membership) === true
}

/** Of a shared pool the cluster whose NodeClaim holds the host takes it in, for the others do not know of that claim. */
function isHeldElsewhere({ cluster, pools }: InventoryView, sshHost: SSHHost): boolean {
  const { state, claimRef } = sshHost.status ?? {}
  const isHeld = state === 'Claimed' || state === 'InUse'
  return isHeld && claimRef === undefined && hostKeyOf(sshHost, pools).pool !== cluster
}

/** Other controllers of this API may name a claim without its uid: then it is the NodeClaim of that name as it is now. */
function withClaimUid({ nodeClaims }: InventoryView, status: SSHHostStatus = {}): SSHHostStatus {
  const { claimRef } = status
  if (claimRef === undefined || claimRef.uid !== undefined) return status
  const nodeClaim = nodeClaims.find(({ metadata }) => metadata.name === claimRef.name)
  return nodeClaim === undefined
    ? status
    : { ...status, claimRef: { ...claimRef, uid: nodeClaim.metadata.uid } }
}

const waysToReach = ['address', 'port', 'user', 'sshKeySecret', 'verified'] as const

function isLookDue(before: HostRecord, after: HostRecord): boolean {
  if (isTied(after) || after.maintenance) return false
  return (
    before.state !== after.state ||
    waysToReach.some((field) => !isDeepStrictEqual(before[field], after[field]))
  )
}

function unitsOf(view: InventoryView, marker: string | undefined): readonly string[] {
  return view.agentUnits.get(marker?.split('@')[0] ?? '') ?? ['kubelet']
}
