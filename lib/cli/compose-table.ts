import { makeDynamoClusters } from '../adapters/dynamodb/clusters.ts'
import { makeDynamoHistory } from '../adapters/dynamodb/history.ts'
import { makeDynamoHostStore } from '../adapters/dynamodb/host-store.ts'
import { makeDynamoClient, type DynamoClientOptions } from '../adapters/dynamodb/make-dynamo-client.ts'
import { makeSystemClock } from '../adapters/node/clock.ts'
import { makeUuids } from '../adapters/node/random.ts'
import type { Clock, Log } from '../ambient/ports.ts'
import { makeChangeHost, type ChangeHost } from '../hosts/change-host.ts'
import type { Clusters, History, HostStore } from '../hosts/ports.ts'

export interface TablePlace extends DynamoClientOptions {
  readonly tableName: string
}

export interface Table {
  readonly hosts: HostStore
  readonly history: History
  /** The id that hosts know the control plane of this table by. */
  readonly installation: Clusters['installation']
  readonly changeHost: ChangeHost
  readonly clock: Clock
}

/** Nothing is asked before it is used. */
export function composeTable({ tableName, ...options }: TablePlace, log: Log): Table {
  const clock = makeSystemClock()
  const ids = makeUuids()
  const deps = { client: makeDynamoClient(options), tableName, log }
  const hosts = makeDynamoHostStore(deps)
  const history = makeDynamoHistory({ ...deps, clock, ids })
  const changeHost = makeChangeHost({ hosts, history, nextWriteID: () => ids.next() })
  const clusters = makeDynamoClusters({ ...deps, ids })
  return { hosts, history, installation: () => clusters.installation(), changeHost, clock }
}
