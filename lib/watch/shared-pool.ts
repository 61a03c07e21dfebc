/** A value that many share, counted. Two are the same value if and only if they are the same object. */
export interface Shared<V> {
  readonly key: string
  readonly value: V
  uses: number
}

export interface Pool<V> {
  /** The shared value for this key, made at its first use. */
  take(key: string, make: () => V): Shared<V>
  /** The last one to let go takes it out of the pool. */
  letGo(shared: Shared<V>): void
  values(): Iterable<Shared<V>>
}

/** Keeps one copy of what thousands of pods repeat: labels, needs, node names. */
export function makePool<V>(): Pool<V> {
  const pool = new Map<string, Shared<V>>()
  return {
    take(key, make) {
      const shared = pool.get(key) ?? { key, value: make(), uses: 0 }
      if (shared.uses === 0) pool.set(key, shared)
      shared.uses += 1
      return shared
    },
    letGo(shared) {
      shared.uses -= 1
      if (shared.uses === 0) pool.delete(shared.key)
    },
    values: () => pool.values(),
  }
}
