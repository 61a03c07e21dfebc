import { makeEventRecorder } from '../../lib/adapters/kubernetes/event-recorder.ts'
import type { ClusterObserved } from '../../lib/messages/cluster-observed.ts'
import { parseBody } from '../../lib/messages/parse-body.ts'
import type { HostChanged } from '../../lib/messages/run-phase.ts'
import { makeReconcile } from '../../lib/reconcile/reconcile.ts'
import { readEnvironment } from '../../lib/runtime/environment.ts'
import { observationRules } from '../../lib/runtime/observation-rules.ts'
import { readConfig } from '../../lib/runtime/read-config.ts'
import { maySpeakFor, type SenderAllowList } from '../../lib/runtime/sender-allow-list.ts'
import { sqsHandler, type SqsLambda } from '../../lib/runtime/sqs-handler.ts'
import { composeParts } from '../compose-parts.ts'
import { Config } from './config.ts'

/** An activation is over in a few seconds; one that is not is a fault, and the next heartbeat is its retry. */
const budgetMs = 15_000
const maxParallel = 4

export function compose(): SqsLambda {
  const config = readConfig(Config, readEnvironment())
  const parts = composeParts('reconcile', config)
  const { runtime, state, kubernetes, messages } = parts
  const reconcile = makeReconcile({
    ...parts,
    ...state,
    clock: runtime.clock,
    clusters: kubernetes,
    heartbeats: state.clusters,
    sender: messages,
    events: makeEventRecorder({ ...parts, ...runtime, clusters: kubernetes, instance: 'reconcile' }),
    poolNamespace: config.KPSSH_NAMESPACE,
    defaultPoolOf: (cluster) => config.KPSSH_CLUSTERS[cluster]?.pool ?? cluster,
  })
  return sqsHandler<ClusterObserved | HostChanged>(
    {
      decode: (body) => parseBody(body, 'ClusterObserved', 'HostChanged'),
      groupOf: ({ cluster }) => cluster,
      supersedes: (later, earlier) => later.type === 'ClusterObserved' && earlier.type === 'ClusterObserved',
      maySend: (message, senderID) => maySpeakFor(message.cluster, senderID, sendersOf(message, config)),
      handle: reconcile,
      rules: observationRules('events', messages),
      budgetMs,
      maxParallel,
    },
    runtime,
  )
}

/** Watchers tell what a cluster looks like, our own functions what became of a host; neither may do the other's part. */
function sendersOf(message: ClusterObserved | HostChanged, config: Config): SenderAllowList {
  const { cluster, type } = message
  const senders =
    type === 'ClusterObserved' ? config.KPSSH_CLUSTERS[cluster]?.senders : config.KPSSH_FUNCTION_SENDERS
  return { [cluster]: senders ?? [] }
}
