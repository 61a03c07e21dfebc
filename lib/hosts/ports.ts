// How the rooms reach the table. Every write names the version it believes; the loser learns what is there instead.
import type { HostEventKind } from './host-event.ts'
import type { HostKey, HostRecord } from './host-record.ts'

export type WriteOutcome =
  | { readonly kind: 'written'; readonly record: HostRecord }
  /** Somebody wrote in between. `current` is undefined if the item is gone. */
  | { readonly kind: 'stale'; readonly current: HostRecord | undefined }

export type CreateOutcome =
  | { readonly kind: 'created'; readonly record: HostRecord }
  | { readonly kind: 'exists'; readonly current: HostRecord }

/** All reads are strongly consistent. */
export interface HostReader {
  get(key: HostKey): Promise<HostRecord | undefined>
  /** Every pool that a host was ever created in, in order. */
  pools(): Promise<readonly string[]>
  /** Every host of the pool, by key. */
  list(pool: string): Promise<readonly HostRecord[]>
}

export interface HostWriter {
  create(record: HostRecord): Promise<CreateOutcome>
  /** Replaces the item if its version is `believedVersion`; `next.version` must be one more. */
  write(next: HostRecord, believedVersion: number, cause: HostEventKind): Promise<WriteOutcome>
  /** Forgets a host if its version is `believedVersion`. */
  remove(key: HostKey, believedVersion: number): Promise<'removed' | 'stale'>
}

export interface HostStore extends HostReader, HostWriter {}

/** Names the one host that a NodeClaim may ever take. */
export interface NodeClaimBindings {
  get(uid: string): Promise<HostKey | undefined>
  /** Put if absent. `bound` also when it already names this very host. */
  bind(
    uid: string,
    host: HostKey,
  ): Promise<{ readonly kind: 'bound' } | { readonly kind: 'other'; readonly host: HostKey }>
  /** Takes back a binding whose host was lost to somebody else before it was claimed. */
  unbind(uid: string, host: HostKey): Promise<void>
}

/** The leave script as it was at join, kept by digest. */
export interface LeaveRecipe {
  readonly digest: string
  readonly profile: string
  readonly version: string
  readonly script: string
  readonly signature?: string
  readonly manifest?: { readonly manifest: string; readonly signature: string }
  readonly timeoutMs: number
  readonly agentUnits: readonly string[]
}
export interface LeaveRecipes {
  put(recipe: LeaveRecipe): Promise<void>
  get(digest: string): Promise<LeaveRecipe | undefined>
}

export interface HistoryEntry {
  readonly host: HostKey
  readonly atMs: number
  readonly kind: string
  readonly facts: Readonly<Record<string, string | number | boolean>>
}
/** The ledger: for people, never for decisions. */
export interface History {
  /** Never throws: an entry that cannot be written is logged. */
  append(entry: HistoryEntry): Promise<void>
  /** Newest first. */
  list(host: HostKey, limit: number): Promise<readonly HistoryEntry[]>
}

/** One small item per cluster: heartbeat and installation identity. */
export interface ClusterItem {
  readonly cluster: string
  /** Written on every host we touch; made once per table. */
  readonly installationID: string
  readonly observedAtMs?: number
  readonly clusterUid?: string
}
export interface Clusters {
  /** Made on first use, put-if-absent. */
  installation(): Promise<string>
  observed(cluster: string, atMs: number, clusterUid: string): Promise<void>
  get(cluster: string): Promise<ClusterItem | undefined>
}
