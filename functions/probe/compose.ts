import { parseKnownHost } from '../../lib/execution/known-host.ts'
import { hostKeyText } from '../../lib/hosts/host-record.ts'
import { parseBody } from '../../lib/messages/parse-body.ts'
import type { ProbeHosts } from '../../lib/messages/run-phase.ts'
import { openingMs } from '../../lib/phase/budgets.ts'
import { makeProbeHosts } from '../../lib/phase/run-probe.ts'
import { readEnvironment } from '../../lib/runtime/environment.ts'
import { readConfig } from '../../lib/runtime/read-config.ts'
import { requestRules } from '../../lib/runtime/request-rules.ts'
import { sqsHandler, type SqsLambda } from '../../lib/runtime/sqs-handler.ts'
import { composeParts } from '../compose-parts.ts'
import { composeRuns } from '../compose-runs.ts'
import { Config } from './config.ts'

/** Each message looks at several hosts at once already. */
const maxParallel = 4

export function compose(): SqsLambda {
  const parts = composeParts('probe', readConfig(Config, readEnvironment()))
  const { runtime, state, messages, random } = parts
  const probeHosts = makeProbeHosts({
    ...parts,
    ...state,
    clusters: parts.kubernetes,
    installation: () => state.clusters.installation(),
    runs: composeRuns(parts),
    parseKnownHost,
  })
  return sqsHandler<ProbeHosts>(
    {
      decode: (body) => parseBody(body, 'ProbeHosts'),
      // A host may be in two messages; the record's version keeps one look from undoing the other's.
      groupOf: ({ hosts }) => hosts.map(hostKeyText).join(),
      // Only our own functions' roles may send to this queue.
      maySend: () => true,
      handle: probeHosts,
      rules: requestRules('probe', { messages, clock: runtime.clock, random }),
      budgetMs: openingMs,
      maxParallel,
    },
    runtime,
  )
}
