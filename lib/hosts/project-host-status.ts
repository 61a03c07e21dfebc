// SSHHost.status as a projection of the record, for people: the same fields and the same Ready condition as other controllers
// of this API write. Nothing reads it back but newHostRecord, when a table was lost.
import type { Condition } from '../api/object-meta.ts'
import { formatQuantity } from '../api/quantity.ts'
import { formatInstant } from '../api/rfc3339.ts'
import type { SSHHostStatus } from '../api/ssh-host.ts'
import type { HostRecord } from './host-record.ts'
import { withoutUndefined } from './without-undefined.ts'

/** What the object itself carries: its generation, and the conditions written before, whose transition times are kept. */
export interface ProjectedObject {
  readonly generation?: number | undefined
  readonly conditions?: readonly Condition[] | undefined
  /** The cluster of the object, where it may not be the holder's: the NodeClaim of a claim is in one cluster alone. */
  readonly cluster?: string | undefined
}

const nano = 1_000_000_000n

export function projectHostStatus(
  record: HostRecord,
  nowMs: number,
  object: ProjectedObject = {},
): SSHHostStatus {
  return withoutUndefined({
    state: record.state,
    conditions: [readyCondition(record, nowMs, object)],
    claimRef: claimRef(record, object),
    installedProfile: record.installed,
    bootstrapTokenID: record.tokenIDs.at(-1),
    providerID: record.providerID,
    hostKeyFingerprint: record.hostKeys[0]?.fingerprint,
    observedCapacity: record.capacity && observed(record.capacity),
    observedArch: record.arch,
    observedGeneration: object.generation,
    lastProbeTime: record.probedAtMs === undefined ? undefined : formatInstant(record.probedAtMs),
    lastProbeError: errorText(record),
  })
}

function claimRef({ claim }: HostRecord, { cluster }: ProjectedObject): SSHHostStatus['claimRef'] {
  if (claim === undefined || (cluster !== undefined && cluster !== claim.cluster)) return undefined
  return { name: claim.nodeClaim, uid: claim.uid }
}

function observed({ cpu, memoryBytes }: NonNullable<HostRecord['capacity']>): Record<string, string> {
  return {
    cpu: formatQuantity(BigInt(Math.trunc(cpu)) * nano, 'DecimalSI'),
    memory: formatQuantity(BigInt(Math.trunc(memoryBytes)) * nano, 'BinarySI'),
  }
}

/** Empty for a host that nothing is wrong with. One that is unhealthy or has to leave says its reason first. */
function errorText(record: HostRecord): string {
  const told = [record.reason, record.message].filter((part) => part !== undefined && part !== '')
  const isInTrouble = record.state === 'Unhealthy' || record.state === 'Leaving'
  if (isInTrouble && told.length > 0) return told.join(': ')
  return record.probeError ?? ''
}

function readyCondition(record: HostRecord, nowMs: number, object: ProjectedObject): Condition {
  const ready = readiness(record)
  const before = object.conditions?.find(({ type }) => type === 'Ready')
  const isSame = before?.status === ready.status
  return withoutUndefined({
    type: 'Ready',
    ...ready,
    lastTransitionTime: (isSame ? before.lastTransitionTime : undefined) ?? formatInstant(nowMs),
    observedGeneration: object.generation,
  })
}

function readiness(record: HostRecord): Pick<Condition, 'status' | 'reason' | 'message'> {
  switch (record.state) {
    case 'Unhealthy':
      return { status: 'False', reason: 'ProbeFailed', message: errorText(record) || record.state }
    case 'Maintenance':
      return { status: 'False', reason: 'Maintenance', message: 'parked by the maintenance annotation' }
    case 'Pending':
      return { status: 'Unknown', reason: 'AwaitingProbe', message: 'no probe has succeeded yet' }
    case 'Available':
    case 'Claimed':
    case 'InUse':
    case 'Leaving':
      return { status: 'True', reason: 'ProbeSucceeded', message: record.state }
  }
}
