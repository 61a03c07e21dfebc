// install, join and leave are one use case behind three queues: what differs is who may do it, which their roles say.
import { SpecError } from '../lib/errors/spec-error.ts'
import { parseKnownHost } from '../lib/execution/known-host.ts'
import { hostKeyText } from '../lib/hosts/host-record.ts'
import type { RunPhaseName } from '../lib/hosts/phase-name.ts'
import { parseBody } from '../lib/messages/parse-body.ts'
import type { RunPhase } from '../lib/messages/run-phase.ts'
import { openingMs } from '../lib/phase/budgets.ts'
import { outcomeFacts } from '../lib/phase/phase-outcome.ts'
import { makeRunPhase } from '../lib/phase/run-phase.ts'
import { requestRules } from '../lib/runtime/request-rules.ts'
import { sqsHandler, type SqsLambda } from '../lib/runtime/sqs-handler.ts'
import { composeParts } from './compose-parts.ts'
import { composeRuns } from './compose-runs.ts'
import type { Settings } from './settings.ts'

/** As many as a batch has records: each waits for its host most of the time. */
const maxParallel = 10

export function composePhase(phase: RunPhaseName, settings: Settings): SqsLambda {
  const parts = composeParts(phase, settings)
  const { runtime, state, messages, random } = parts
  const runPhase = makeRunPhase({
    ...parts,
    ...state,
    clusters: parts.kubernetes,
    installation: () => state.clusters.installation(),
    runs: composeRuns(parts),
    parseKnownHost,
  })
  return sqsHandler<RunPhase>(
    {
      decode: (body) => requestOf(body, phase),
      groupOf: (message) => hostKeyText(message.host),
      // Only our own functions' roles may send to this queue, and they speak for every cluster.
      maySend: () => true,
      handle: async (message, scope) => outcomeFacts(await runPhase(message, scope)),
      rules: requestRules(phase, { messages, clock: runtime.clock, random }),
      budgetMs: openingMs,
      maxParallel,
    },
    runtime,
  )
}

/** A request that was sent to another phase's queue is not done by this function: it lacks what the other may do. */
function requestOf(body: string, phase: RunPhaseName): RunPhase {
  const message = parseBody(body, 'RunPhase')
  if (message.phase === phase) return message
  throw new SpecError(`Cannot run "${message.phase}" from the queue of ${phase}: send it to its own queue`, {
    reason: 'WrongQueue',
  })
}
