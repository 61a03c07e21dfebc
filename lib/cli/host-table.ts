// Finds the table that remembers the hosts: of a deployed stack, or of the local stack that `npm start` runs.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { makeDynamoHistory } from '../adapters/dynamodb/history.ts'
import { makeDynamoHostStore } from '../adapters/dynamodb/host-store.ts'
import { makeDynamoClient, type DynamoClientOptions } from '../adapters/dynamodb/make-dynamo-client.ts'
import { makeSystemClock } from '../adapters/node/clock.ts'
import { makeUuids } from '../adapters/node/random.ts'
import type { Clock, Facts, Log } from '../ambient/ports.ts'
import { ConfigError } from '../errors/config-error.ts'
import { makeChangeHost, type ChangeHost } from '../hosts/change-host.ts'
import type { HostKey } from '../hosts/host-record.ts'
import type { History, HostStore } from '../hosts/ports.ts'
import { UsageError, type Arguments, type OptionSpec } from './command.ts'
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

export interface HostTable {
  readonly hosts: HostStore
  readonly history: History
  readonly changeHost: ChangeHost
  readonly clock: Clock
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

interface Place extends DynamoClientOptions {
  readonly tableName: string
  readonly pool: string
  readonly namespace: string | undefined
}

const defaultNamespace = 'kpssh-system'

/** Throws UsageError, ConfigError. Nothing is asked yet. */
export async function openHostTable({ values }: Arguments, console: Console): Promise<HostTable> {
  const place = values['stack'] === undefined ? await localPlace() : stackPlace(values['stack'], values)
  const { tableName, endpoint, region } = place
  const client = makeDynamoClient({ ...(endpoint && { endpoint }), ...(region && { region }) })
  const deps = { client, tableName, log: noteLog(console) }
  const clock = makeSystemClock()
  const ids = makeUuids()
  const hosts = makeDynamoHostStore(deps)
  const history = makeDynamoHistory({ ...deps, clock, ids })
  return {
    hosts,
    history,
    clock,
    changeHost: makeChangeHost({ hosts, history, nextWriteID: () => ids.next() }),
    pool: values['pool'] ?? place.pool,
    namespace: values['namespace'] ?? place.namespace ?? defaultNamespace,
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
  if (parsed.success) return { ...parsed.data, namespace: parsed.data.namespace }
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
    console.note(`kpssh: ${event}${item}\n`)
  }
  return { info: () => undefined, warn: note, error: note }
}
