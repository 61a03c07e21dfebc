import assert from 'node:assert/strict'
import type { HostEvent } from '../../../lib/hosts/host-event.ts'
import type { HostRecord } from '../../../lib/hosts/host-record.ts'
import { applyHostEvent, type Refusal } from '../../../lib/hosts/transitions.ts'

/** The record after the event, which must move it. */
export function after(record: HostRecord, event: HostEvent, nowMs: number): HostRecord {
  const transition = applyHostEvent(record, event, nowMs)
  assert.equal(transition.kind, 'moved', `${event.kind}: ${JSON.stringify(transition)}`)
  return transition.kind === 'moved' ? transition.record : record
}

/** `moved`, `unchanged`, or why it was refused. */
export function answer(record: HostRecord, event: HostEvent, nowMs: number): 'moved' | 'unchanged' | Refusal {
  const transition = applyHostEvent(record, event, nowMs)
  return transition.kind === 'refused' ? transition.reason : transition.kind
}
