import type { ProofStep, ProofWatch } from '../../../lib/proof/proof-report.ts'

export interface FakeProofWatch extends ProofWatch {
  readonly steps: readonly ProofStep[]
  /** Of all findings, in their order. */
  readonly reasons: readonly string[]
}

export function fakeProofWatch(): FakeProofWatch {
  const steps: ProofStep[] = []
  return {
    steps,
    get reasons() {
      return steps.flatMap(({ findings }) => findings.map(({ reason }) => reason))
    },
    began: () => undefined,
    ended: (step) => void steps.push(step),
  }
}
