import type { Facts } from '../ambient/ports.ts'

/** What one delivery of a message came to: for the log and the metrics. The message is acknowledged in every case. */
export type PhaseOutcome =
  /** The phase ended, well or badly, or what was left to do after it is done. `result` says how it ended. */
  | { readonly kind: 'done'; readonly result: string; readonly facts: Facts }
  /** The run goes on; a new message watches it further. */
  | { readonly kind: 'watching'; readonly facts: Facts }
  /** Nothing could be done now; a new message tries again. */
  | { readonly kind: 'retry-later'; readonly reason: string; readonly facts: Facts }
  /** Not wanted any more, or somebody else does it. */
  | { readonly kind: 'dropped'; readonly reason: string; readonly facts: Facts }
  /** Past its attempts: sent to the dead-letter queue. */
  | { readonly kind: 'dead'; readonly reason: string; readonly facts: Facts }

export function dropped(reason: string): PhaseOutcome {
  return { kind: 'dropped', reason, facts: {} }
}

/** One flat line for the log. */
export function outcomeFacts({ kind, facts, ...rest }: PhaseOutcome): Facts {
  return { outcome: kind, ...rest, ...facts }
}
