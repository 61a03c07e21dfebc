// How often a host was installed, by the ledger in the table: the proof that a second join was warm.
import { makeDynamoClient } from '../../../lib/adapters/dynamodb/make-dynamo-client.ts'
import { makeDynamoHistory } from '../../../lib/adapters/dynamodb/history.ts'
import { makeSystemClock } from '../../../lib/adapters/node/clock.ts'
import type { LocalFile } from '../stack/local-file.ts'
import { silentLog } from './silent-log.ts'

export function countInstalls(local: LocalFile, namespace: string): (name: string) => Promise<number> {
  const { endpoint, region, tableName, pool } = local
  const client = makeDynamoClient({ endpoint, region })
  const ids = { next: () => 'unused' }
  const history = makeDynamoHistory({ client, tableName, ids, clock: makeSystemClock(), log: silentLog })
  return async (name) => {
    const entries = await history.list({ pool, namespace, name }, 200)
    return entries.filter(({ kind, facts }) => kind === 'run' && facts['phase'] === 'install').length
  }
}
