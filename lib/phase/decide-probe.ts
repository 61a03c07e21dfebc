// Whom a probe looks at, and what one look leads to. Looking is for hosts that nobody holds: what a held host does is seen by
// its run and by its Node. A host that did not answer once is asked again before it is said to be broken, since many
// connections that start together are dropped by sshd before their banner.
import type { HostEvent } from '../hosts/host-event.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { isZombie } from '../hosts/probe-rules.ts'
import type { Contact } from './contact.ts'
import type { AgentReport } from './decide-left.ts'
import { probeFactsOf } from './learn-from-contact.ts'

export type ProbeStep =
  | { readonly kind: 'record'; readonly event: HostEvent }
  /** Not said to be broken yet. */
  | { readonly kind: 'ask-again' }

export const maxAsks = 3

/** A claimed host is left alone, but for one whose claim was only read from SSHHost.status: a probe has to confirm it first. */
export function mayProbe(record: HostRecord): boolean {
  const isHeld = record.run !== undefined || (record.claim !== undefined && record.takenIn)
  return !isHeld && record.quarantine === undefined && !record.maintenance
}

/** True if something was done to the host since the look began: what it saw is not true any more. */
export function isOvertaken(atLook: HostRecord, now: HostRecord): boolean {
  return now.fence !== atLook.fence || !mayProbe(now)
}

export function decideProbe(
  contact: Contact<AgentReport>,
  {
    record,
    attempt,
    installationID,
  }: {
    readonly record: HostRecord
    readonly attempt: number
    readonly installationID: string
  },
): ProbeStep {
  switch (contact.kind) {
    case 'reported': {
      const { report } = contact
      if (report.kind === 'unable') return failed(report)
      return { kind: 'record', event: { kind: 'probed', facts: probeFactsOf(report, installationID) } }
    }
    case 'unreachable': {
      const isNews = record.probeError === undefined
      return isNews && attempt < maxAsks ? { kind: 'ask-again' } : failed(contact)
    }
    case 'unusable':
      return failed(contact)
    case 'other-key': {
      const { reason, message } = contact
      return { kind: 'record', event: { kind: 'quarantined', reason, message } }
    }
  }
}

function failed({ reason, message }: { readonly reason: string; readonly message: string }): ProbeStep {
  return { kind: 'record', event: { kind: 'probe-failed', reason, message } }
}

export type ProbeVerdict = 'healthy' | 'failed' | 'quarantined' | 'zombie' | 'foreign'

/** What the record says after the look. */
export function classifyProbe(record: HostRecord): ProbeVerdict {
  if (record.quarantine !== undefined) return 'quarantined'
  if (record.probeError !== undefined) return 'failed'
  if (isZombie(record)) return 'zombie'
  return record.reason === 'ForeignKubelet' ? 'foreign' : 'healthy'
}
