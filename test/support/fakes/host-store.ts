// The table in memory, honest about conflicts: it passes the same contract suite as the real one.
import type { HostEventKind } from '../../../lib/hosts/host-event.ts'
import { hostKeyText, type HostKey, type HostRecord } from '../../../lib/hosts/host-record.ts'
import type { HostStore, WriteOutcome } from '../../../lib/hosts/ports.ts'

export interface FakeHostStore extends HostStore {
  /** Every record now, by key. */
  readonly records: readonly HostRecord[]
  /** Causes of the writes that were made, in order. */
  readonly causes: readonly HostEventKind[]
  /** Puts a record as it is, whatever is there: the rival of a race test. */
  put(record: HostRecord): void
}

export function fakeHostStore(...initial: readonly HostRecord[]): FakeHostStore {
  const items = new Map(initial.map((record) => [hostKeyText(record.key), record]))
  const causes: HostEventKind[] = []
  const sorted = (): HostRecord[] =>
    [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => structuredClone(record))

  return {
    get records() {
      return sorted()
    },
    causes,
    put: (record) => void items.set(hostKeyText(record.key), structuredClone(record)),
    get: async (key) => structuredClone(items.get(hostKeyText(key))),
    pools: async () => [...new Set(sorted().map(({ key }) => key.pool))],
    list: async (pool) => sorted().filter(({ key }) => key.pool === pool),
    async create(record) {
      const current = items.get(hostKeyText(record.key))
      if (current?.writeID === record.writeID && current.version === record.version) {
        return { kind: 'created', record: structuredClone(current) }
      }
      if (current !== undefined) return { kind: 'exists', current: structuredClone(current) }
      items.set(hostKeyText(record.key), structuredClone(record))
      return { kind: 'created', record }
    },
    async write(next, believedVersion, cause): Promise<WriteOutcome> {
      const current = items.get(hostKeyText(next.key))
      if (current?.writeID === next.writeID && current.version === next.version) {
        return { kind: 'written', record: structuredClone(current) }
      }
      if (current?.version !== believedVersion) return { kind: 'stale', current: structuredClone(current) }
      items.set(hostKeyText(next.key), structuredClone(next))
      causes.push(cause)
      return { kind: 'written', record: next }
    },
    async remove(key: HostKey, believedVersion) {
      const current = items.get(hostKeyText(key))
      if (current !== undefined && current.version !== believedVersion) return 'stale'
      items.delete(hostKeyText(key))
      return 'removed'
    },
  }
}
