// The ledger of each host, for people. Items expire; until DynamoDB gets around to removing them they are left out here.
import { z } from 'zod'
import type { Clock, Ids, Log } from '../../ambient/ports.ts'
import { hostKeyText, HostKey } from '../../hosts/host-record.ts'
import type { History, HistoryEntry } from '../../hosts/ports.ts'
import { makeDynamoTable, type DynamoDeps } from './dynamo-table.ts'
import { historyPartition } from './item-key.ts'
import { parseItem } from './parse-item.ts'
import { expiresAtAttribute } from './table-definition.ts'

export interface DynamoHistoryDeps extends DynamoDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** 30 without. */
  readonly keepDays?: number
}

const Entry = z.object({
  host: HostKey,
  atMs: z.number(),
  kind: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
})

export function makeDynamoHistory({ clock, ids, log, keepDays = 30, ...deps }: DynamoHistoryDeps): History {
  const table = makeDynamoTable(deps)
  return {
    async append(entry) {
      const key = { pk: historyPartition(entry.host), sk: `${sortable(entry.atMs)}#${ids.next()}` }
      const expiresAt = Math.floor(entry.atMs / 1000) + keepDays * 24 * 60 * 60
      try {
        await table.put(key, { ...entry, [expiresAtAttribute]: expiresAt })
      } catch (cause) {
        log.warn('history.lost', { host: hostKeyText(entry.host), kind: entry.kind, cause })
      }
    },
    async list(host, limit): Promise<readonly HistoryEntry[]> {
      const items = await table.query(historyPartition(host), { isNewestFirst: true, limit })
      const nowSeconds = clock.nowMs() / 1000
      return items
        .filter((item) => Number(item[expiresAtAttribute]) > nowSeconds)
        .map((item) => parseItem(Entry, item))
    },
  }
}

/** Sorts as text as it sorts as a number. */
function sortable(atMs: number): string {
  return String(Math.trunc(atMs)).padStart(15, '0')
}
