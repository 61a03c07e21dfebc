import { countBudget } from '../kube-api/disruption-budgets.ts'
import { isSame, recordOf } from '../kube-api/json.ts'
import type { Controller } from './control-loop.ts'

const budgets = 'policy/poddisruptionbudgets'

/** What each budget allows right now, written where other programs read it. */
export const disruptionBudgetStatus: Controller = {
  name: 'disruption-controller',
  watches: [budgets, '/pods'],
  reconcile(cluster) {
    for (const budget of cluster.list(budgets)) {
      const count = countBudget(budget, cluster.list('/pods', budget.metadata.namespace))
      const status = { ...count, observedGeneration: budget.metadata.generation }
      const before = recordOf(budget['status'])
      if (!isSame({ ...before, ...status }, before)) cluster.patchStatus(budgets, budget, status)
    }
  },
}
