import { makeDynamoClusters } from '../../lib/adapters/dynamodb/clusters.ts'
import { makeDynamoHistory } from '../../lib/adapters/dynamodb/history.ts'
import { makeDynamoHostStore } from '../../lib/adapters/dynamodb/host-store.ts'
import { makeDynamoLeaveRecipes } from '../../lib/adapters/dynamodb/leave-recipes.ts'
import { makeDynamoNodeClaimBindings } from '../../lib/adapters/dynamodb/node-claim-bindings.ts'
import { hostStoreContract } from '../contract/host-store.contract.ts'
import { stateContract } from '../contract/state.contract.ts'
import { t0 } from '../support/builders/hosts.ts'
import { fakeClock } from '../support/fakes/clock.ts'
import { fakeIds } from '../support/fakes/ids.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { startTestTable, tableName } from '../support/table.ts'

hostStoreContract('on dynalite', async () => {
  const table = await startTestTable()
  const subject = makeDynamoHostStore({ client: table.client, tableName, log: fakeLog() })
  return { subject, stop: () => table.stop() }
})

stateContract('on dynalite', async () => {
  const table = await startTestTable()
  const deps = { client: table.client, tableName, ids: fakeIds(), log: fakeLog(), clock: fakeClock(t0) }
  return {
    subject: {
      bindings: makeDynamoNodeClaimBindings(deps),
      recipes: makeDynamoLeaveRecipes(deps),
      history: makeDynamoHistory(deps),
      clusters: makeDynamoClusters(deps),
    },
    stop: () => table.stop(),
  }
})
