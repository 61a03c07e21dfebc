// What proofs tell while they run.
import type { Family } from './proof-settings.ts'
import type { ProofReason } from './proof-reasons.ts'

export const proofNumbers = [1, 2, 3, 4, 5] as const
export type ProofNumber = (typeof proofNumbers)[number]

export const proofTitles: Readonly<Record<ProofNumber, string>> = {
  1: 'the cycle: install, join, leave, join, leave, uninstall',
  2: 'interrupted anywhere and run again',
  3: 'reboots',
  4: 'leave where nobody expects it',
  5: 'secrets',
}

export interface ProofFinding {
  readonly reason: ProofReason
  /** What was found where, to be read on its own. */
  readonly message: string
  /** Evidence, line by line. */
  readonly lines: readonly string[]
}

/** What was done, and what came of it. */
export interface ProofStep {
  readonly proof: ProofNumber
  readonly family: Family
  readonly title: string
  readonly durationMs: number
  readonly findings: readonly ProofFinding[]
  /** How many more there were than `findings` holds. */
  readonly moreFindings: number
  /** What is worth knowing and is no fault. */
  readonly notes: readonly string[]
}

/** Whoever shows the proofs while they are made. */
export interface ProofWatch {
  began(step: Pick<ProofStep, 'proof' | 'family' | 'title'>): void
  ended(step: ProofStep): void
}
