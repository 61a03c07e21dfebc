// Conditions, kept as Karpenter's controllers keep them, so that `kubectl wait` and dashboards see what they expect:
//   True            reason is the condition's type, message is empty
//   lastTransition  moves only when the status changes; a dependent seen first "changed" when its object was created
//   the root        is False if a dependent is False, True if all are True of this generation, otherwise Unknown
//   order           by lastTransitionTime, the root last
import { Condition, type ObjectMeta } from './object-meta.ts'
import { formatInstant } from './rfc3339.ts'
import { shortText } from './short-text.ts'

/** API servers take eight times as much, and refuse the whole status above that. */
const longestMessage = 4096

/** Which condition sums up which others. */
export interface ConditionSet {
  readonly root: string
  readonly dependents: readonly string[]
}

export const nodeClaimConditions: ConditionSet = {
  root: 'Ready',
  dependents: ['Launched', 'Registered', 'Initialized'],
}
export const nodePoolConditions: ConditionSet = {
  root: 'Ready',
  dependents: ['ValidationSucceeded', 'NodeClassReady'],
}
export const nodeClassConditions: ConditionSet = { root: 'Ready', dependents: [] }

export interface ConditionContext {
  readonly set: ConditionSet
  readonly object: Pick<ObjectMeta, 'generation' | 'creationTimestamp'>
  readonly nowMs: number
}

export type ConditionChange =
  | { readonly type: string; readonly status: 'True'; readonly reason?: string; readonly message?: string }
  | {
      readonly type: string
      readonly status: 'False' | 'Unknown'
      readonly reason: string
      readonly message: string
    }

export type Conditions = readonly Condition[]

export function getCondition(conditions: Conditions | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}

export function isConditionTrue(conditions: Conditions | undefined, type: string): boolean {
  return getCondition(conditions, type)?.status === 'True'
}

/** What a new object carries before anybody looked: every dependent and the root Unknown. */
export function withInitialConditions(conditions: Conditions, context: ConditionContext): Conditions {
  const { root, dependents } = context.set
  return [...dependents, root].reduce(
    (all, type) =>
      getCondition(all, type) === undefined ? withCondition(all, awaiting(type), context) : all,
    conditions,
  )
}

function awaiting(type: string): ConditionChange {
  const message = 'object is awaiting reconciliation'
  return { type, status: 'Unknown', reason: 'AwaitingReconciliation', message }
}

/** Sets one condition and sums up the root again. Returns the same array if nothing changed. */
export function withCondition(
  conditions: Conditions,
  change: ConditionChange,
  context: ConditionContext,
): Conditions {
  const updated = replaceCondition(conditions, change, context)
  if (updated === conditions || change.type === context.set.root) return updated
  return withRoot(updated, context)
}

/** Removes an independent condition: one that holds no more is absent, not False. */
export function withoutCondition(conditions: Conditions, type: string): Conditions {
  return getCondition(conditions, type) === undefined
    ? conditions
    : conditions.filter((condition) => condition.type !== type)
}

function replaceCondition(
  conditions: Conditions,
  change: ConditionChange,
  context: ConditionContext,
): Conditions {
  const before = getCondition(conditions, change.type)
  const after: Condition = {
    type: change.type,
    status: change.status,
    reason: change.reason ?? change.type,
    message: shortText(change.message ?? '', longestMessage),
    lastTransitionTime: transitionTime(before, change, context),
    observedGeneration: context.object.generation ?? 0,
  }
  if (before !== undefined && isSame(before, after)) return conditions
  const others = conditions.filter((condition) => condition.type !== change.type)
  return sorted([...others, after], context.set.root)
}

function transitionTime(
  before: Condition | undefined,
  change: ConditionChange,
  { set, object, nowMs }: ConditionContext,
): string {
  if (before?.lastTransitionTime !== undefined && before.status === change.status) {
    return before.lastTransitionTime
  }
  const isFirst = before === undefined && set.dependents.includes(change.type)
  return isFirst ? object.creationTimestamp : formatInstant(nowMs)
}

function isSame(a: Condition, b: Condition): boolean {
  return Condition.keyof().options.every((key) => a[key] === b[key])
}

/** RFC 3339 text in UTC with whole seconds sorts as time does. */
function sorted(conditions: Conditions, root: string): Conditions {
  const key = (condition: Condition) => (condition.type === root ? '~' : (condition.lastTransitionTime ?? ''))
  return [...conditions].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

function withRoot(conditions: Conditions, context: ConditionContext): Conditions {
  const { set, object } = context
  const unhealthy = set.dependents
    .map((type) => getCondition(conditions, type) ?? { type, status: 'Unknown' as const })
    .filter((condition) => !isTrueNow(condition, object.generation ?? 0))
  const message = unhealthy.map(({ type, status }) => `${type}=${status}`).join(', ')
  const change: ConditionChange =
    unhealthy.length === 0
      ? { type: set.root, status: 'True' }
      : unhealthy.some(({ status }) => status === 'False')
        ? { type: set.root, status: 'False', reason: 'UnhealthyDependents', message }
        : { type: set.root, status: 'Unknown', reason: 'ReconcilingDependents', message }
  return replaceCondition(conditions, change, context)
}

function isTrueNow(condition: Condition, generation: number): boolean {
  return condition.status === 'True' && (condition.observedGeneration ?? 0) === generation
}
