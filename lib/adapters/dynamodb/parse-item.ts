import { z } from 'zod'
import { ConfigError } from '../../errors/config-error.ts'
import type { Item } from './dynamo-table.ts'
import { expiresAtAttribute } from './table-definition.ts'

/** Where an item lives, until when, and what wrote it last. */
const tableAttributes = new Set(['pk', 'sk', 'cause', expiresAtAttribute])

/** An item as its schema says it, without what only the table needs. Throws ConfigError: somebody else wrote it. */
export function parseItem<T>(schema: z.ZodType<T>, item: Item): T {
  const fields = Object.entries(item).filter(([name]) => !tableAttributes.has(name))
  const parsed = schema.safeParse(Object.fromEntries(fields))
  if (parsed.success) return parsed.data
  throw new ConfigError(
    `Cannot read item "${String(item['pk'])} ${String(item['sk'])}": ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}, ` +
      'it must be as this version writes it',
    { reason: 'ItemUnreadable' },
  )
}
