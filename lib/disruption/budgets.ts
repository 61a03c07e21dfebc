// How many nodes of a pool may be disrupted for a reason now: the least that any active budget allows.
import { parseGoDurationMs } from '../api/duration.ts'
import type { Budget, NodePool } from '../api/node-pool.ts'
import { SpecError } from '../errors/spec-error.ts'
import { hasHit, parseCron } from './cron.ts'

export type DisruptionReason = 'Empty' | 'Underutilized' | 'Drifted'

export interface PoolCount {
  /** Initialized nodes of the pool whose host does not leave yet. */
  readonly nodes: number
  /** Those of them that are NotReady or being deleted: they use up the budget. */
  readonly busy: number
}

/** Infinity without an active budget; 0 for the whole pool if any of its budgets cannot be read. */
export function allowedDisruptions(
  pool: NodePool,
  reason: DisruptionReason,
  { nodes, busy, nowMs }: PoolCount & { readonly nowMs: number },
): number {
  try {
    const limits = pool.spec.disruption.budgets
      // All are read first: an unreadable one counts whatever its reasons are.
      .map((budget) => ({ budget, limit: limitOf(budget, nodes), isActive: isActive(budget, nowMs) }))
      .filter(({ budget, isActive: counts }) => counts && concerns(budget, reason))
      .map(({ limit }) => limit)
    return Math.max(0, Math.min(...limits, Infinity) - busy)
  } catch (error) {
    if (error instanceof SpecError) return 0
    throw error
  }
}

function concerns({ reasons = [] }: Budget, reason: DisruptionReason): boolean {
  return reasons.length === 0 || reasons.includes(reason)
}

function limitOf({ nodes: text }: Budget, nodes: number): number {
  const match = /^([0-9]{1,9})(%?)$/.exec(text)
  if (match === null) {
    throw new SpecError(`Cannot read the budget "${text}": it is no count and no percentage`, {
      reason: 'BudgetInvalid',
    })
  }
  const amount = Number(match[1])
  return match[2] === '%' ? Math.ceil((nodes * amount) / 100) : amount
}

/** A window of `duration` opens at every hit of the schedule, in UTC. */
function isActive({ schedule, duration }: Budget, nowMs: number): boolean {
  if (schedule === undefined && duration === undefined) return true
  if (schedule === undefined || duration === undefined) {
    throw new SpecError('Cannot read the budget: schedule and duration must come together', {
      reason: 'BudgetInvalid',
    })
  }
  return hasHit(parseCron(schedule), nowMs - parseGoDurationMs(duration), nowMs)
}
