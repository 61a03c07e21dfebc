// What PodDisruptionBudgets allow, counted from the pods as they are: shared by eviction and by the budgets' own status.
import { isRecord, listOf, recordOf, textOf } from './json.ts'
import type { KubeObject } from './kube-object.ts'
import { readSelectorObject } from './selectors.ts'

export interface BudgetCount {
  readonly expectedPods: number
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly disruptionsAllowed: number
}

export function selectsPod(budget: KubeObject, pod: KubeObject): boolean {
  const { selector } = recordOf(budget['spec'])
  return (
    budget.metadata.namespace === pod.metadata.namespace &&
    isRecord(selector) &&
    readSelectorObject(selector)(pod.metadata.labels ?? {})
  )
}

/** `pods` are those of the budget's namespace. A workload's missing pods are not expected: only what exists is counted. */
export function countBudget(budget: KubeObject, pods: readonly KubeObject[]): BudgetCount {
  const covered = pods.filter((pod) => selectsPod(budget, pod) && !isEnded(pod))
  const expectedPods = covered.length
  const currentHealthy = covered.filter(isHealthy).length
  const { minAvailable, maxUnavailable } = recordOf(budget['spec'])
  const desiredHealthy =
    maxUnavailable === undefined
      ? share(minAvailable ?? 1, expectedPods)
      : Math.max(0, expectedPods - share(maxUnavailable, expectedPods))
  return {
    expectedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed: expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy),
  }
}

export function isHealthy(pod: KubeObject): boolean {
  const conditions = listOf(recordOf(pod['status'])['conditions']).map(recordOf)
  return (
    pod.metadata.deletionTimestamp === undefined &&
    conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  )
}

function isEnded(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(textOf(recordOf(pod['status'])['phase']))
}

/** A number, or a percentage of the pods, rounded up. */
function share(value: unknown, total: number): number {
  if (typeof value === 'number') return value
  const percent = /^(\d{1,3})%$/.exec(textOf(value))?.[1]
  return percent === undefined ? 0 : Math.ceil((Number(percent) / 100) * total)
}
