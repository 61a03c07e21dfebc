// What a program cannot know by itself: the time and chance. Rooms take these as arguments; lib/adapters/node makes the
// real ones, test/support the ones that tests steer.

export interface Clock {
  /** Milliseconds since 1970, by this machine's clock. */
  nowMs(): number
  /** Resolves after `durationMs`, or at once when `signal` aborts. Never rejects. */
  wait(durationMs: number, signal?: AbortSignal): Promise<void>
}

export interface Random {
  /** An integer in [0, limit), without bias. `limit` is at most 2^32. */
  below(limit: number): number
}

export interface Ids {
  /** A fresh identifier: lower-case letters, digits and dashes, unguessable, at most 40 characters. */
  next(): string
}

/** What each invocation carries along: when it must be finished, and how it is told to stop. */
export interface Scope {
  readonly clock: Clock
  /** After this instant nothing new is started. */
  readonly deadlineAtMs: number
  readonly signal?: AbortSignal
  readonly log: Log
}

/** Structured logging: one stable dotted event name and flat facts that are safe to print. */
export interface Log {
  info(event: string, facts?: Facts): void
  warn(event: string, facts?: Facts): void
  error(event: string, facts?: Facts & { readonly cause?: unknown }): void
}
export type Facts = Readonly<Record<string, unknown>>

/** How much there is of something now, for dashboards and alarms. */
export interface Gauges {
  /** Names and values of dimensions must not be empty. */
  set(name: string, value: number, dimensions: Readonly<Record<string, string>>): void
}
