// What the parts of the list-watch loop have in common.
import type { Clock, Log, Random } from '../ambient/ports.ts'
import { ConfigError } from '../errors/config-error.ts'
import type { Resource } from '../kubernetes/ports.ts'
import type { ResourceFeed, Seen } from '../kubernetes/watch-ports.ts'
import type { BackOff } from './back-off.ts'

export interface FollowSettings {
  readonly pageSize: number
  /** The server ends a watch after this long. */
  readonly watchSeconds: number
  /** A watch that says nothing for this long is taken for dead. A real server's bookmarks come about once a minute. */
  readonly silenceMs: number
  /** A resource that the server does not know is asked for again after this long. */
  readonly notServedMs: number
  readonly backOff: BackOff
}
export const defaultFollowSettings: FollowSettings = {
  pageSize: 500,
  watchSeconds: 300,
  silenceMs: 60_000,
  notServedMs: 60_000,
  backOff: { shortestMs: 1_000, longestMs: 30_000 },
}

/** Where what is seen goes. */
export interface ResourceSink<T> {
  put(seen: Seen<T>): void
  remove(uid: string): void
  /** A complete list was read: everything it did not name is gone. */
  retain(uids: ReadonlySet<string>): void
  /** The server answered something, be it a refusal. */
  heard(): void
  /** What is kept is what the server has, up to the delay of a watch. */
  synced(): void
  /** What is kept may be old. */
  unsynced(): void
}

export interface FollowDeps<T> {
  readonly resource: Resource<T>
  readonly namespace?: string
  readonly feed: ResourceFeed
  readonly sink: ResourceSink<T>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly settings: FollowSettings
  /** Lists of one cluster are read one at a time: they are what costs memory, here and there. */
  readonly inTurn: InTurn
}

export type InTurn = <R>(work: () => Promise<R>) => Promise<R>

/** How one list or one watch ended. */
export interface Attempt {
  readonly kind: 'listed' | 'closed' | 'expired' | 'not-served' | 'failed'
  /** Everything up to here is known: watch from here. Absent: list. */
  readonly resourceVersion?: string
  /** It lasted, or told something: what came before is no reason to wait any more. */
  readonly isGood: boolean
}

export function placeOf<T>({ namespace }: FollowDeps<T>): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}

export function noteFailure<T>(
  { sink, log, resource }: FollowDeps<T>,
  error: unknown,
  signal: AbortSignal,
): void {
  if (signal.aborted) return
  sink.unsynced()
  // A refusal is an answer too: restarting the watcher would not change it.
  if (error instanceof ConfigError) sink.heard()
  log[error instanceof ConfigError ? 'error' : 'warn']('watcher.feed-failed', {
    resource: resource.plural,
    cause: error,
  })
}
