// Hosts in the table. The truth about who owns a machine, so every read is consistent and every write conditional.
import type { Log } from '../../ambient/ports.ts'
import type { HostEventKind } from '../../hosts/host-event.ts'
import { hostKeyText, HostRecord } from '../../hosts/host-record.ts'
import type { HostStore } from '../../hosts/ports.ts'
import { either, isAbsent, isVersion, type Condition } from './condition.ts'
import { contended, makeDynamoTable, type DynamoDeps, type DynamoTable, type Item } from './dynamo-table.ts'
import { hostItemKey, hostPrefix, poolItemKey, poolPartition, poolsPartition } from './item-key.ts'
import { parseItem } from './parse-item.ts'

export interface DynamoHostStoreDeps extends DynamoDeps {
  readonly log: Log
}

type Put = { readonly kind: 'put' } | { readonly kind: 'lost'; readonly current: HostRecord | undefined }

export function makeDynamoHostStore({ log, ...deps }: DynamoHostStoreDeps): HostStore {
  const table = makeDynamoTable(deps)
  return {
    async get(key) {
      const item = await table.get(hostItemKey(key))
      return item && parseItem(HostRecord, item)
    },
    async pools() {
      return (await table.query(poolsPartition)).map(({ sk }) => String(sk))
    },
    async list(pool) {
      const items = await table.query(poolPartition(pool), { prefix: hostPrefix })
      return items.flatMap((item) => readable(item, log))
    },
    async create(record) {
      await table.put(poolItemKey(record.key.pool), {})
      const put = await putHost(table, { record, cause: 'inventory-seen', condition: isAbsent })
      if (put.kind === 'put') return { kind: 'created', record }
      if (put.current === undefined) throw contended(`create host "${hostKeyText(record.key)}"`)
      return { kind: 'exists', current: put.current }
    },
    async write(next, believedVersion, cause) {
      const put = await putHost(table, { record: next, cause, condition: isVersion(believedVersion) })
      if (put.kind === 'put') return { kind: 'written', record: next }
      return { kind: 'stale', current: put.current }
    },
    async remove(key, believedVersion) {
      const outcome = await table.delete(hostItemKey(key), either(isAbsent, isVersion(believedVersion)))
      return outcome.kind === 'done' ? 'removed' : 'stale'
    },
  }
}

interface HostPut {
  readonly record: HostRecord
  readonly cause: HostEventKind
  readonly condition: Condition
}

/** An answer that got lost is told from a rival by the id of the write. */
async function putHost(table: DynamoTable, { record, cause, condition }: HostPut): Promise<Put> {
  const outcome = await table.put(hostItemKey(record.key), { ...record, cause }, condition)
  if (outcome.kind === 'done') return { kind: 'put' }
  const current = outcome.current && parseItem(HostRecord, outcome.current)
  return current?.writeID === record.writeID ? { kind: 'put' } : { kind: 'lost', current }
}

/** One host that cannot be read must not hide the others. */
function readable(item: Item, log: Log): readonly HostRecord[] {
  try {
    return [parseItem(HostRecord, item)]
  } catch (cause) {
    log.error('host.unreadable', { item: String(item['sk']), cause })
    return []
  }
}
