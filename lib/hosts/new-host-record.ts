// Takes a host in: makes its record from its SSHHost. A table that was lost is rebuilt this way, so SSHHost.status is believed
// as far as it can be checked later: the host is neither offered nor left before a probe confirmed it. A host that was claimed
// may have been a member, so a leave is owed.
import type { SSHHostStatus } from '../api/ssh-host.ts'
import type { Inventory } from './host-event.ts'
import type { Claim, HostKey, HostRecord, HostState } from './host-record.ts'
import { withoutUndefined } from './without-undefined.ts'

/** The caller sets writeID. Instants that the status does not tell are 0. */
export function newHostRecord(key: HostKey, inventory: Inventory, status: SSHHostStatus = {}): HostRecord {
  const claim = claimOf(inventory, status)
  return withoutUndefined({
    key,
    ...inventory,
    agentUnits: [...inventory.agentUnits],
    version: 1,
    writeID: '',
    state: stateOf(inventory, status),
    fence: 0,
    claim,
    leavePending: claim !== undefined || status.state === 'Leaving',
    leaveAttempts: 0,
    takenIn: false,
    installed: status.installedProfile,
    providerID: claim && status.providerID,
    hostKeys: status.hostKeyFingerprint === undefined ? [] : [{ fingerprint: status.hostKeyFingerprint }],
    tokenIDs: status.bootstrapTokenID === undefined ? [] : [status.bootstrapTokenID],
  })
}

function claimOf({ cluster }: Inventory, { claimRef, state }: SSHHostStatus): Claim | undefined {
  if (claimRef === undefined) return undefined
  const hasJoined = state === 'InUse'
  return {
    cluster,
    nodeClaim: claimRef.name,
    uid: claimRef.uid ?? '',
    sinceMs: 0,
    ...(hasJoined ? { joinedAtMs: 0 } : {}),
  }
}

function stateOf(inventory: Inventory, status: SSHHostStatus): HostState {
  if (status.claimRef !== undefined) return status.state === 'InUse' ? 'InUse' : 'Claimed'
  if (inventory.maintenance) return 'Maintenance'
  return status.state === 'Leaving' ? 'Leaving' : 'Pending'
}
