// Applies one event to one host by compare-and-swap: look, transition, write what was believed. A lost race is looked at
// again a few times, since most rivals (a probe, a projection) do not change whether the event still applies.
import type { HostEvent } from './host-event.ts'
import type { HostKey, HostRecord } from './host-record.ts'
import { historyEntryOf } from './history-entry.ts'
import type { History, HostStore } from './ports.ts'
import { applyHostEvent, type Refusal } from './transitions.ts'

export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly before: HostRecord; readonly record: HostRecord }
  /** The event changes nothing: the record already says so. */
  | { readonly kind: 'unchanged'; readonly record: HostRecord }
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly record: HostRecord | undefined }

const maxLooks = 5

export interface ChangeHostDeps {
  readonly hosts: HostStore
  readonly nextWriteID: () => string
  /** Told of every change that is worth telling, after it was written. */
  readonly history?: Pick<History, 'append'>
}

export type ChangeHost = (key: HostKey, event: HostEvent, nowMs: number) => Promise<ChangeOutcome>

export function makeChangeHost({ hosts, nextWriteID, history }: ChangeHostDeps): ChangeHost {
  return async function changeHost(key, event, nowMs) {
    let record = await hosts.get(key)
    for (let look = 0; look < maxLooks; look += 1) {
      if (record === undefined) return { kind: 'refused', reason: 'unknown-host', record }
      const transition = applyHostEvent(record, event, nowMs)
      if (transition.kind === 'refused') return { kind: 'refused', reason: transition.reason, record }
      if (transition.kind === 'unchanged') return { kind: 'unchanged', record }
      const next = { ...transition.record, version: record.version + 1, writeID: nextWriteID() }
      const outcome = await hosts.write(next, record.version, event.kind)
      if (outcome.kind === 'written') {
        const entry = historyEntryOf({ before: record, after: outcome.record, event }, nowMs)
        if (entry !== undefined) await history?.append(entry)
        return { kind: 'changed', before: record, record: outcome.record }
      }
      record = outcome.current
    }
    return { kind: 'refused', reason: 'contended', record }
  }
}
