// Proofs for people: a line for each step, and below it what was found, why it matters and what to do.
import { proofReasons } from '../proof/proof-reasons.ts'
import { proofTitles, type ProofFinding, type ProofNumber, type ProofStep } from '../proof/proof-report.ts'
import type { Family } from '../proof/proof-settings.ts'

const titleColumns = 58

export interface ProofRenderer {
  /** The heading of a proof. */
  heading(proof: ProofNumber, family: Family): string
  step(step: ProofStep): string
}

/** Advice is given once for each reason. */
export function makeProofRenderer(): ProofRenderer {
  const advised = new Set<string>()
  return {
    heading: (proof, family) => `Proof ${proof} on ${family}: ${proofTitles[proof]}\n`,
    step({ title, durationMs, findings, moreFindings, notes }) {
      const mark = findings.length === 0 ? 'ok  ' : 'FAIL'
      const lines = [
        `  ${mark} ${title.padEnd(titleColumns)} ${secondsText(durationMs)}`,
        ...notes.map((note) => `       ${note}`),
        ...findings.flatMap((finding) => findingLines(finding, advised)),
        ...(moreFindings > 0 ? [`       and ${moreFindings} more like these`] : []),
      ]
      return `${lines.join('\n')}\n`
    },
  }
}

function findingLines({ reason, message, lines }: ProofFinding, advised: Set<string>): readonly string[] {
  const { explanation, fix } = proofReasons[reason]
  const advice = advised.has(reason) ? [] : [explanation, fix]
  advised.add(reason)
  return [
    `       ${reason}: ${message}`,
    ...lines.map((line) => `         | ${line}`),
    ...advice.map((text) => `         ${text}`),
  ]
}

function secondsText(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1).padStart(6)} s`
}
