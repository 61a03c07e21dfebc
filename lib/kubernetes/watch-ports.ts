// Lists and watches as the API server gives them, page by page and event by event. lib/watcher turns them into a cache.
import type { Resource } from './ports.ts'

/** One object of a list or an event, read through its resource's schema. */
export interface Seen<T> {
  readonly uid: string
  readonly resourceVersion: string
  readonly object: T
}

export type ListPage =
  | {
      readonly kind: 'page'
      /** Of the list as a whole: where a watch goes on. */
      readonly resourceVersion: string
      /** Undefined on the last page. */
      readonly next: string | undefined
    }
  /** 410: `next` is too old, begin again. */
  | { readonly kind: 'expired' }
  /** 404: the server does not know this resource (yet). */
  | { readonly kind: 'not-served' }

export type WatchEvent<T> =
  /** The server answered: the watch stands. Always the first event, unless it is `expired`. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'put'; readonly seen: Seen<T> }
  | { readonly kind: 'deleted'; readonly uid: string; readonly resourceVersion: string }
  | { readonly kind: 'bookmark'; readonly resourceVersion: string }
  /** It does not parse: whatever was known of it is wrong now. */
  | { readonly kind: 'unreadable'; readonly uid: string; readonly resourceVersion: string }
  /** 410, as an HTTP status or inside the stream, or a resource that is not served any more: list again. The last event. */
  | { readonly kind: 'expired' }

export interface ListPageOptions<T> {
  readonly namespace?: string
  readonly limit: number
  /** The `next` of the page before. */
  readonly next: string | undefined
  /** Each object as soon as it is read, also of a page that breaks off. One that does not parse is left out and logged. */
  readonly onItem: (seen: Seen<T>) => void
  readonly signal: AbortSignal
}

export interface WatchOptions {
  /** Of a namespaced resource: in this namespace only. */
  readonly namespace?: string
  readonly resourceVersion: string
  /** The server ends the watch after this long. */
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
}

/** Throws TransientError (network, 429, 5xx) and ConfigError (401 after one renewal, 403). */
export interface ResourceFeed {
  listPage<T>(resource: Resource<T>, options: ListPageOptions<T>): Promise<ListPage>
  /** Bookmarks are asked for. Ends without an error when the server closes or `signal` aborts. */
  watch<T>(resource: Resource<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>
}
