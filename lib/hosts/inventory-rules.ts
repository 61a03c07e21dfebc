// What the SSHHost object says. An SSHHost's address never changes, so another address is another object of the same name, for
// another machine: nothing known of the old one carries over. While the old machine is claimed, runs something or is owed a
// leave, its address is kept, or it could never be left. Of the clusters that share a pool the one that a host is tied to alone
// says how it is reached: the Secrets to do it with are there.
import { isDeepStrictEqual } from 'node:util'
import { isClaimed, isRunning } from './claim-rules.ts'
import { clusterOf } from './cluster-of.ts'
import type { HostRecord } from './host-record.ts'
import { forgottenMachine } from './identity-rules.ts'
import { isQuarantined } from './resting.ts'
import { always, both, everyState, keep, move, type HostEventOf, type Rule } from './transition-rule.ts'
import { withoutUndefined } from './without-undefined.ts'

type InventorySeen = HostEventOf<'inventory-seen'>

export const inventorySeenRules: readonly Rule<InventorySeen>[] = [
  keep(isTiedToAnother),
  keep(isAsSaid),
  move({
    label: 'another machine, in maintenance',
    from: ['Pending', 'Available', 'Unhealthy', 'Maintenance'],
    to: 'Maintenance',
    when: both(isAnotherMachine, beginsMaintenance),
    change: takeOver,
  }),
  move({
    label: 'another machine',
    from: ['Pending', 'Available', 'Unhealthy', 'Maintenance'],
    to: 'Pending',
    when: isAnotherMachine,
    change: takeOver,
  }),
  move({
    label: 'maintenance begins',
    from: ['Pending', 'Available', 'Unhealthy', 'Leaving'],
    to: 'Maintenance',
    when: both((record) => !isRunning(record) && !isQuarantined(record), beginsMaintenance),
    change: (record, event) => ({ ...take(record, event), reason: undefined, message: undefined }),
  }),
  move({
    label: 'maintenance ends',
    from: ['Maintenance'],
    to: 'Pending',
    when: (_record, { inventory }) => !inventory.maintenance,
    change: take,
  }),
  move({ label: '', from: everyState, to: 'same', when: always, change: take }),
]

function beginsMaintenance(_record: HostRecord, { inventory }: InventorySeen): boolean {
  return inventory.maintenance
}

function isAnotherMachine(record: HostRecord, { inventory }: InventorySeen): boolean {
  return record.address !== inventory.address && !isTied(record) && !isQuarantined(record)
}

/** A token is collected in the cluster that it was minted in. */
function isTiedToAnother(record: HostRecord, { inventory }: InventorySeen): boolean {
  const isFree = !isTied(record) && record.tokenIDs.length === 0
  return !isFree && clusterOf(record) !== inventory.cluster
}

/** Whether something is owed to the machine: it is held, something runs on it, or it has to leave. */
export function isTied(record: HostRecord): boolean {
  return isClaimed(record) || isRunning(record) || record.leavePending
}

function take(record: HostRecord, { inventory }: InventorySeen): Partial<HostRecord> {
  const { cluster, hostClass, agentUnits, maintenance, ...connection } = inventory
  const said = { cluster, hostClass, agentUnits: [...agentUnits], maintenance }
  const isKept = record.address !== inventory.address && isTied(record)
  return isKept ? said : { ...said, nodeAddress: undefined, verified: undefined, ...connection }
}

function takeOver(record: HostRecord, event: InventorySeen): Partial<HostRecord> {
  return { ...forgottenMachine, hostKeys: [], reason: undefined, message: undefined, ...take(record, event) }
}

function isAsSaid(record: HostRecord, event: InventorySeen): boolean {
  return isDeepStrictEqual(withoutUndefined({ ...record, ...take(record, event) }), record)
}
