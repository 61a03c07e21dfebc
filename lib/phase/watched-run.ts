import type { HostRecord, Run } from '../hosts/host-record.ts'
import type { Redact } from './failure-text.ts'

/** A run of the record that this delivery watches. */
export interface WatchedRun {
  readonly record: HostRecord
  readonly run: Run
  readonly redact: Redact
}
