// What `kpssh profile test` is to do, from its command line.
import { availableParallelism } from 'node:os'
import { makeSystemRandom } from '../adapters/node/random.ts'
import { proofNumbers, type ProofNumber } from '../proof/proof-report.ts'
import type { ProofEffort } from '../proof/proof-scope.ts'
import { UsageError, type Arguments } from './command.ts'

const sampledInterruptions = 5
const mostMachines = 4

export interface ProofPlan {
  readonly proofs: readonly ProofNumber[]
  readonly effort: ProofEffort
  readonly seed: number
  readonly isUpdate: boolean
  readonly isJson: boolean
}

/** Throws UsageError. */
export function proofPlanOf({ values, switches }: Arguments): ProofPlan {
  const proof = values['proof']
  const chosen = proofNumbers.filter((number) => proof === undefined || String(number) === proof)
  if (chosen.length === 0)
    throw new UsageError(`Cannot make proof "${proof ?? ''}": give a number from 1 to 5`)
  if (switches.has('update') && !chosen.includes(1)) {
    throw new UsageError('Cannot update proof.txt: only proof 1 finds what is in it, leave --proof out')
  }
  return {
    proofs: chosen,
    effort: {
      interruptions: switches.has('every-step') ? 'all' : sampledInterruptions,
      machines: Math.min(availableParallelism(), mostMachines),
    },
    seed: seedOf(values['seed']),
    isUpdate: switches.has('update'),
    isJson: switches.has('json'),
  }
}

function seedOf(text: string | undefined): number {
  if (text === undefined) return makeSystemRandom().below(1_000_000)
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`Cannot use seed "${text}": it is no number, give up to nine digits`)
}
