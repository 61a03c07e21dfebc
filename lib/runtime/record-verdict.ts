import type { Facts } from '../ambient/ports.ts'

/** What became of one record: the queue learns `acknowledge`, people the rest, as one line. */
export interface RecordVerdict {
  readonly acknowledge: boolean
  readonly level: 'info' | 'warn' | 'error'
  /** Dotted, stable, also the name of a metric: `record.done`, `record.failed`. */
  readonly event: string
  readonly facts?: Facts
  readonly cause?: unknown
}

/** What to do with a record that could not be read, or not be handled. Must not throw. */
export interface RecordRules<M> {
  /** The body does not parse, or its sender may not speak for its cluster. */
  refused(body: string, error: unknown): Promise<RecordVerdict>
  failed(record: { readonly message: M; readonly body: string }, error: unknown): Promise<RecordVerdict>
}
