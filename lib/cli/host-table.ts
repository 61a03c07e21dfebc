// Finds the table that remembers the hosts: of a deployed stack, or of the local stack that `npm start` runs.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import type { Facts, Log } from '../ambient/ports.ts'
import { ConfigError } from '../errors/config-error.ts'
import { printableLine } from '../execution/printable.ts'
import type { HostKey } from '../hosts/host-record.ts'
import { UsageError, type Arguments, type OptionSpec } from './command.ts'
import type { Table, TablePlace } from './compose-table.ts'
import type { Console } from './console.ts'
import { readText } from './read-input.ts'

export const tableOptions: readonly OptionSpec[] = [
  {
    name: 'stack',
    value: 'NAME',
    meaning:
      'A deployed stack, whose table has its name: kpssh-prod. Without it: the local stack of npm start.',
  },
  {
    name: 'region',
    value: 'REGION',
    meaning: 'AWS region of the stack, if the environment does not say it.',
  },
  {
    name: 'pool',
    value: 'POOL',
    meaning:
      'Pool of hosts; needed with --stack, where it is the name of the cluster unless SSHHosts say otherwise.',
  },
  { name: 'namespace', value: 'NAMESPACE', meaning: 'Of the SSHHosts; kpssh-system without it.' },
]

export interface HostTable extends Table {
  readonly pool: string
  readonly namespace: string
}

/** What the local stack tells of itself. */
const LocalStack = z.object({
  endpoint: z.url(),
  region: z.string(),
  tableName: z.string(),
  pool: z.string(),
  namespace: z.string().optional(),
})

interface Place extends TablePlace {
  readonly pool: string
  readonly namespace: string | undefined
}

const defaultNamespace = 'kpssh-system'

/** Throws UsageError, ConfigError. Nothing is asked yet. */
export async function openHostTable({ values }: Arguments, console: Console): Promise<HostTable> {
  const { pool, namespace, ...place } =
    values['stack'] === undefined ? await localPlace() : stackPlace(values['stack'], values)
  // The SDK takes longer to load than most commands take to run.
  const { composeTable } = await import('./compose-table.ts')
  return {
    ...composeTable(place, noteLog(console)),
    pool: values['pool'] ?? pool,
    namespace: values['namespace'] ?? namespace ?? defaultNamespace,
  }
}

function stackPlace(tableName: string, { pool, region }: Arguments['values']): Place {
  if (pool === undefined)
    throw new UsageError(`Cannot look into stack "${tableName}": its pool is not given, add --pool POOL`)
  return { tableName, pool, namespace: undefined, ...(region && { region }) }
}

async function localPlace(): Promise<Place> {
  const path = findUpwards(join('.kpssh', 'local.json'))
  if (path === undefined) {
    throw new ConfigError(
      'Cannot find the table: no --stack is given and no local stack runs here (.kpssh/local.json), name a stack or run npm start',
      { reason: 'TableUnknown' },
    )
  }
  const parsed = LocalStack.safeParse(parseJson(await readText(path)))
  if (parsed.success) {
    const { endpoint, region, tableName, pool, namespace } = parsed.data
    return { endpoint, region, tableName, pool, namespace }
  }
  throw new ConfigError(
    `Cannot use "${path}": it is not what npm start writes, start the local stack again`,
    {
      reason: 'LocalFileInvalid',
    },
  )
}

function findUpwards(relative: string): string | undefined {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const path = join(folder, relative)
    if (existsSync(path)) return path
    if (folder === resolve(folder, '..')) return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `NAME` or `NAMESPACE/NAME`. Throws UsageError. */
export function parseHostName(
  text: string,
  { pool, namespace }: Pick<HostTable, 'pool' | 'namespace'>,
): HostKey {
  const [, ofNamespace, name] = /^(?:([a-z0-9-]+)\/)?([a-z0-9][a-z0-9.-]*)$/.exec(text) ?? []
  if (name === undefined) {
    throw new UsageError(
      `Cannot look up host "${text}": it is no name, write it as host-a or kpssh-system/host-a`,
    )
  }
  return { pool, namespace: ofNamespace ?? namespace, name }
}

/** What adapters find worth a warning, in one line. */
function noteLog(console: Console): Log {
  const note = (event: string, facts: Facts = {}) => {
    const item = typeof facts['item'] === 'string' ? ` ${facts['item']}` : ''
    console.note(`kpssh: ${printableLine(`${event}${item}`)}\n`)
  }
  return { info: () => undefined, warn: note, error: note }
}
