// The watcher's copy of one resource: objects by uid, and whether a change to one of them matters to anybody.

export interface ObjectTable<T, K = T> {
  /** True if what matters changed. */
  put(uid: string, object: T): boolean
  remove(uid: string): boolean
  /** After a complete list: whatever it did not name is gone. */
  retain(uids: ReadonlySet<string>): boolean
  readonly size: number
  values(): Iterable<K>
}

export interface TableRules<T, K> {
  /** What is kept; undefined for an object that is not worth keeping. */
  readonly keep: (object: T) => K | undefined
  /** Text that changes if and only if something does that matters. */
  readonly matters: (kept: K) => string
}

export function makeObjectTable<T, K>(rules: TableRules<T, K>): ObjectTable<T, K> {
  const kept = new Map<string, K>()

  function remove(uid: string): boolean {
    const before = kept.get(uid)
    kept.delete(uid)
    return before !== undefined && rules.matters(before) !== ''
  }

  return {
    put(uid, object) {
      const after = rules.keep(object)
      if (after === undefined) return remove(uid)
      const before = kept.get(uid)
      kept.set(uid, after)
      return rules.matters(after) !== (before === undefined ? '' : rules.matters(before))
    },
    remove,
    retain(uids) {
      let changed = false
      for (const uid of kept.keys()) if (!uids.has(uid)) changed = remove(uid) || changed
      return changed
    },
    get size() {
      return kept.size
    },
    values: () => kept.values(),
  }
}
