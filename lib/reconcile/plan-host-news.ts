// What people are told about a host, once: what its status said before is compared with what it will say. Reasons are those that
// other controllers of this API use, so that alerts on events keep working.
import { compareQuantities } from '../api/quantity.ts'
import type { ResourceList } from '../api/resource-list.ts'
import type { SSHHost, SSHHostStatus } from '../api/ssh-host.ts'
import type { HostRecord } from '../hosts/host-record.ts'

export interface HostNews {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

interface Change {
  readonly sshHost: SSHHost
  readonly before: SSHHostStatus
  readonly record: HostRecord
  /** What the status will say. */
  readonly after: SSHHostStatus
}

export function planHostNews(
  sshHost: SSHHost,
  record: HostRecord,
  after: SSHHostStatus,
): readonly HostNews[] {
  const change = { sshHost, before: sshHost.status ?? {}, record, after }
  return [...driftNews(change), ...agentNews(change), ...leaveNews(change)]
}

/** What the machine has less of than its SSHHost promises: `cpu: 4 of 8`. Nothing was seen, nothing is short. */
export function shortfalls(promised: ResourceList, seen: ResourceList | undefined): readonly string[] {
  return ['cpu', 'memory'].flatMap((name) => {
    const [wanted, there] = [promised[name], seen?.[name]]
    if (wanted === undefined || there === undefined || compareQuantities(there, wanted) >= 0) return []
    return [`${name}: ${there} of ${wanted}`]
  })
}

function driftNews({ sshHost: { spec }, before, after }: Change): readonly HostNews[] {
  const short = shortfalls(spec.capacity, after.observedCapacity)
  const isNew = short.length > 0 && shortfalls(spec.capacity, before.observedCapacity).length === 0
  return isNew
    ? [warning('CapacityDrift', `the machine has less than spec.capacity says: ${short.join(', ')}`)]
    : []
}

function agentNews({ before, record, after }: Change): readonly HostNews[] {
  const { quarantine, reason = '', message = '' } = record
  if (saidReason(before) === saidReason(after)) return []
  if (quarantine !== undefined) return [warning(quarantine.reason, quarantine.message)]
  if (reason === 'ForeignKubelet') return [warning('ForeignKubelet', message)]
  return reason === 'ZombieAgent' ? [warning('ZombieKubelet', message)] : []
}

function leaveNews({ before, record: { lastRun }, after }: Change): readonly HostNews[] {
  const hasEnded = saidReason(before) === 'ZombieAgent' && saidReason(after) !== 'ZombieAgent'
  if (!hasEnded || lastRun?.phase !== 'leave') return []
  if (lastRun.result === 'succeeded')
    return [{ type: 'Normal', reason: 'ZombieLeft', message: 'the agent was stopped, the host has left' }]
  return [warning('ZombieLeaveFailed', after.lastProbeError ?? '')]
}

/** A host that is in trouble says the reason first. */
function saidReason({ lastProbeError = '' }: SSHHostStatus): string {
  return lastProbeError.split(':')[0] ?? ''
}

function warning(reason: string, message: string): HostNews {
  return { type: 'Warning', reason, message }
}
