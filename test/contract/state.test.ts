import { fakeClusterItems } from '../support/fakes/clusters.ts'
import { fakeHistory } from '../support/fakes/history.ts'
import { fakeLeaveRecipes } from '../support/fakes/leave-recipes.ts'
import { fakeNodeClaimBindings } from '../support/fakes/node-claim-bindings.ts'
import { stateContract } from './state.contract.ts'

stateContract('in memory', async () => ({
  subject: {
    bindings: fakeNodeClaimBindings(),
    recipes: fakeLeaveRecipes(),
    history: fakeHistory(),
    clusters: fakeClusterItems(),
  },
  stop: async () => undefined,
}))
