// Puts what a feed sees into the view and says when something that matters changed.
import type { Log } from '../ambient/ports.ts'
import type { ObjectTable } from '../watch/object-table.ts'
import type { ResourceSink } from './feed-attempt.ts'

export interface FeedListener {
  heard(feed: string): void
  synced(feed: string): void
  unsynced(feed: string): void
  changed(): void
}

export interface TableSinkDeps {
  /** Name of the feed, for health and logs. */
  readonly feed: string
  readonly listener: FeedListener
  readonly log: Log
}

export function makeTableSink<T>(
  table: Pick<ObjectTable<T>, 'put' | 'remove' | 'retain'>,
  { feed, listener, log }: TableSinkDeps,
): ResourceSink<T> {
  const note = (hasChanged: boolean): void => {
    if (hasChanged) listener.changed()
  }
  return {
    put({ uid, object }) {
      try {
        note(table.put(uid, object))
      } catch (cause) {
        // One object that cannot be understood must not hide all others.
        log.warn('watcher.object-unreadable', { feed, uid, cause })
        note(table.remove(uid))
      }
    },
    remove: (uid) => note(table.remove(uid)),
    retain: (uids) => note(table.retain(uids)),
    heard: () => listener.heard(feed),
    synced: () => listener.synced(feed),
    unsynced: () => listener.unsynced(feed),
  }
}
