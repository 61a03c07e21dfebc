import { makeDynamoClusters } from '../lib/adapters/dynamodb/clusters.ts'
import { makeDynamoHistory } from '../lib/adapters/dynamodb/history.ts'
import { makeDynamoHostStore } from '../lib/adapters/dynamodb/host-store.ts'
import { makeDynamoLeaveRecipes } from '../lib/adapters/dynamodb/leave-recipes.ts'
import { makeDynamoClient } from '../lib/adapters/dynamodb/make-dynamo-client.ts'
import { makeDynamoNodeClaimBindings } from '../lib/adapters/dynamodb/node-claim-bindings.ts'
import type { Ids } from '../lib/ambient/ports.ts'
import { makeChangeHost, type ChangeHost } from '../lib/hosts/change-host.ts'
import type { Clusters, History, HostStore, LeaveRecipes, NodeClaimBindings } from '../lib/hosts/ports.ts'
import type { Runtime } from '../lib/runtime/runtime.ts'
import type { Settings } from './settings.ts'

export interface State {
  readonly hosts: HostStore
  readonly changeHost: ChangeHost
  readonly bindings: NodeClaimBindings
  readonly recipes: LeaveRecipes
  readonly history: History
  /** Heartbeats and the installation's identity. */
  readonly clusters: Clusters
}

export function composeState(
  { KPSSH_TABLE }: Settings,
  { clock, log, ids }: Pick<Runtime, 'clock' | 'log'> & { readonly ids: Ids },
): State {
  const table = { client: makeDynamoClient(), tableName: KPSSH_TABLE }
  const hosts = makeDynamoHostStore({ ...table, log })
  const history = makeDynamoHistory({ ...table, clock, ids, log })
  return {
    hosts,
    changeHost: makeChangeHost({ hosts, history, nextWriteID: () => ids.next() }),
    bindings: makeDynamoNodeClaimBindings(table),
    recipes: makeDynamoLeaveRecipes(table),
    history,
    clusters: makeDynamoClusters({ ...table, ids }),
  }
}
