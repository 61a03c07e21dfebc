import { z } from 'zod'
import type { Ids } from '../../ambient/ports.ts'
import type { Clusters } from '../../hosts/ports.ts'
import { either, isAbsent, isAtMost } from './condition.ts'
import { contended, makeDynamoTable, type DynamoDeps, type DynamoTable } from './dynamo-table.ts'
import { clusterItemKey, installationItemKey } from './item-key.ts'
import { parseItem } from './parse-item.ts'

export interface DynamoClustersDeps extends DynamoDeps {
  readonly ids: Ids
}

const Installation = z.object({ installationID: z.string() })
const Observation = z.object({ cluster: z.string(), observedAtMs: z.number(), clusterUid: z.string() })

export function makeDynamoClusters({ ids, ...deps }: DynamoClustersDeps): Clusters {
  const table = makeDynamoTable(deps)
  let known: Promise<string> | undefined
  function installation(): Promise<string> {
    known ??= findOrMake(table, ids).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
  return {
    installation,
    /** A heartbeat that was overtaken by a later one says nothing new. */
    async observed(cluster, observedAtMs, clusterUid) {
      const isNews = either(isAbsent, isAtMost('observedAtMs', observedAtMs))
      await table.put(clusterItemKey(cluster), { cluster, observedAtMs, clusterUid }, isNews)
    },
    async get(cluster) {
      const item = await table.get(clusterItemKey(cluster))
      if (item === undefined) return undefined
      return { ...parseItem(Observation, item), installationID: await installation() }
    },
  }
}

/** Of two that make one at the same time, the first to write names it for both. */
async function findOrMake(table: DynamoTable, ids: Ids): Promise<string> {
  const found = await table.get(installationItemKey)
  if (found !== undefined) return parseItem(Installation, found).installationID
  const installationID = ids.next()
  const outcome = await table.put(installationItemKey, { installationID }, isAbsent)
  if (outcome.kind === 'done') return installationID
  if (outcome.current === undefined) throw contended('name this installation')
  return parseItem(Installation, outcome.current).installationID
}
