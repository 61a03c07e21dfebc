// Two states that ought to be one.
import { changesBetween, renderChanges, type Change, type Volatile } from './changes.ts'
import type { MachineState } from './ports.ts'
import type { ProofFinding } from './proof-report.ts'
import type { ProofReason } from './proof-reasons.ts'

const mostLines = 40

export interface Comparison {
  readonly wanted: MachineState
  readonly actual: MachineState
  readonly volatile: Volatile
  readonly reason: ProofReason
  /** What ends otherwise than what. */
  readonly message: string
}

export function stateDiffers({ wanted, actual, volatile, ...said }: Comparison): readonly ProofFinding[] {
  return changesFound(changesBetween(wanted, actual, volatile), said)
}

export function changesFound(
  changes: readonly Change[],
  { reason, message }: Pick<Comparison, 'reason' | 'message'>,
): readonly ProofFinding[] {
  return changes.length === 0 ? [] : [{ reason, message, lines: shortened(renderChanges(changes)) }]
}

export function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= mostLines) return lines
  return [...lines.slice(0, mostLines), `… and ${lines.length - mostLines} more lines`]
}
