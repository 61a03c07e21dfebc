// Objects with one counter over all changes, as etcd has: every write gets the next resourceVersion and is remembered for
// watches until the history is cut. Synchronous, so that a request's read and write are one step.
import type { KubeObject } from './kube-object.ts'

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly collection: string
  readonly version: number
  /** For DELETED: the last state, with the resourceVersion of the deletion. */
  readonly object: KubeObject
  readonly previous: KubeObject | undefined
}
export type ChangeListener = (change: Change) => void

export interface Store {
  /** The newest resourceVersion. */
  version(): number
  /** Changes up to this one are forgotten: watches may start here or later. */
  oldestVersion(collection: string): number
  get(collection: string, namespace: string, name: string): KubeObject | undefined
  /** In the order of namespace, then name. */
  list(collection: string, namespace?: string): readonly KubeObject[]
  put(collection: string, object: KubeObject): KubeObject
  remove(collection: string, object: KubeObject): KubeObject
  changesAfter(collection: string, version: number): readonly Change[]
  /** Listeners run after the write, in the order of subscription; `undefined` hears every collection. */
  subscribe(collection: string | undefined, listener: ChangeListener): () => void
  forgetHistory(): void
}

const firstVersion = 1000

interface Collection {
  readonly objects: Map<string, KubeObject>
  sorted: readonly KubeObject[] | undefined
  history: Change[]
  oldestVersion: number
}

export function makeStore(options: { readonly historyLimit?: number } = {}): Store {
  const historyLimit = options.historyLimit ?? 20_000
  const collections = new Map<string, Collection>()
  const listeners = new Set<{ readonly collection: string | undefined; readonly listener: ChangeListener }>()
  let version = firstVersion

  function collectionAt(name: string): Collection {
    const known = collections.get(name)
    if (known) return known
    const made: Collection = {
      objects: new Map(),
      sorted: undefined,
      history: [],
      oldestVersion: firstVersion,
    }
    collections.set(name, made)
    return made
  }

  function record(collection: Collection, change: Change): void {
    collection.history.push(change)
    if (collection.history.length > historyLimit * 2) {
      collection.history = collection.history.slice(-historyLimit)
      collection.oldestVersion = (collection.history[0]?.version ?? version) - 1
    }
    for (const entry of listeners) {
      if (entry.collection === undefined || entry.collection === change.collection) entry.listener(change)
    }
  }

  return {
    version: () => version,
    oldestVersion: (name) => collectionAt(name).oldestVersion,
    get: (name, namespace, objectName) => collectionAt(name).objects.get(keyOf(namespace, objectName)),
    list(name, namespace) {
      const collection = collectionAt(name)
      collection.sorted ??= [...collection.objects.entries()]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([, object]) => object)
      if (namespace === undefined) return collection.sorted
      return collection.sorted.filter(({ metadata }) => metadata.namespace === namespace)
    },
    put(name, object) {
      const collection = collectionAt(name)
      const key = keyOf(object.metadata.namespace ?? '', object.metadata.name)
      const previous = collection.objects.get(key)
      const stored = stamped(object, (version += 1))
      collection.objects.set(key, stored)
      collection.sorted = undefined
      const type = previous === undefined ? 'ADDED' : 'MODIFIED'
      record(collection, { type, collection: name, version, object: stored, previous })
      return stored
    },
    remove(name, object) {
      const collection = collectionAt(name)
      const key = keyOf(object.metadata.namespace ?? '', object.metadata.name)
      const previous = collection.objects.get(key)
      const removed = stamped(object, (version += 1))
      collection.objects.delete(key)
      collection.sorted = undefined
      record(collection, { type: 'DELETED', collection: name, version, object: removed, previous })
      return removed
    },
    changesAfter(name, after) {
      return collectionAt(name).history.filter((change) => change.version > after)
    },
    subscribe(collection, listener) {
      const entry = { collection, listener }
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
    forgetHistory() {
      for (const collection of collections.values()) {
        collection.history = []
        collection.oldestVersion = version
      }
    },
  }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

function stamped(object: KubeObject, version: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }
}
