// Shows proofs while they are made, or all of them at the end as JSON.
import type { Clock } from '../ambient/ports.ts'
import { proofReasons } from '../proof/proof-reasons.ts'
import type { ProofStep, ProofWatch } from '../proof/proof-report.ts'
import type { Console } from './console.ts'
import type { ProofPlan } from './proof-plan.ts'
import type { ProofFolder } from './read-proof-folder.ts'
import { makeProofRenderer } from './render-proof.ts'

export interface ShownProofs {
  readonly watch: ProofWatch
  readonly steps: readonly ProofStep[]
  /** Nothing is told any more. */
  stop(): void
  /** All of it came to its end. */
  end(): void
}

export interface ShowRequest {
  readonly plan: ProofPlan
  readonly console: Console
  readonly folder: Pick<ProofFolder, 'profile'>
  readonly sandboxes: { readonly clock: Clock }
}

export function showProofs({ plan, console, folder, sandboxes: { clock } }: ShowRequest): ShownProofs {
  const steps: ProofStep[] = []
  const renderer = makeProofRenderer()
  const progress = makeProgress(clock, console)
  let heading = ''
  let isStopped = false
  return {
    steps,
    watch: {
      began({ proof, family, title }) {
        if (isStopped) return
        const now = renderer.heading(proof, family)
        if (now !== heading && !plan.isJson) console.out(now)
        heading = now
        progress.began(title)
      },
      ended(step) {
        progress.ended()
        if (isStopped) return
        steps.push(step)
        if (!plan.isJson) console.out(renderer.step(step))
      },
    },
    stop() {
      isStopped = true
      progress.ended()
    },
    end() {
      if (plan.isJson) console.out(`${JSON.stringify(reportOf(folder, plan, steps), undefined, 2)}\n`)
    },
  }
}

const patienceMs = 1_000

/** Says what is done once it takes longer than a second. */
function makeProgress(clock: Clock, console: Console) {
  let done = new AbortController()
  return {
    began(title: string): void {
      const { signal } = (done = new AbortController())
      void clock.wait(patienceMs, signal).then(() => {
        if (!signal.aborted) console.note(`${title} …\n`)
      })
    },
    ended: () => done.abort(),
  }
}

function reportOf(
  { profile }: ShowRequest['folder'],
  { seed }: ProofPlan,
  steps: readonly ProofStep[],
): unknown {
  return {
    profile: profile.metadata.name,
    seed,
    holds: steps.every(({ findings }) => findings.length === 0),
    steps: steps.map((step) => ({
      ...step,
      findings: step.findings.map((finding) => ({ ...finding, ...proofReasons[finding.reason] })),
    })),
  }
}
