import { recordOf } from '../json.ts'
import type { KindRules } from '../resource-type.ts'
import { causeInvalid } from '../status-error.ts'

export const disruptionBudgetRules: KindRules = {
  prepareCreate: (object) => ({
    ...object,
    status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
  }),
  validate(object) {
    const { minAvailable, maxUnavailable } = recordOf(object['spec'])
    if (minAvailable === undefined || maxUnavailable === undefined) return []
    return [causeInvalid('spec', 'minAvailable and maxUnavailable cannot be both set')]
  },
}
