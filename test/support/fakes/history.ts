import { hostKeyText } from '../../../lib/hosts/host-record.ts'
import type { History, HistoryEntry } from '../../../lib/hosts/ports.ts'

export interface FakeHistory extends History {
  readonly entries: readonly HistoryEntry[]
}

export function fakeHistory(): FakeHistory {
  const entries: HistoryEntry[] = []
  return {
    entries,
    append: async (entry) => void entries.push(entry),
    list: async (host, limit) =>
      entries
        .filter((entry) => hostKeyText(entry.host) === hostKeyText(host))
        .sort((a, b) => b.atMs - a.atMs)
        .slice(0, limit),
  }
}
