// What all functions are made of: one set per cold start.
import { makeSystemRandom, makeUuids } from '../lib/adapters/node/random.ts'
import type { Ids, Random } from '../lib/ambient/ports.ts'
import type { Clusters } from '../lib/kubernetes/ports.ts'
import type { MessageSender } from '../lib/messages/ports.ts'
import type { Runtime } from '../lib/runtime/runtime.ts'
import { composeClusters } from './compose-clusters.ts'
import { composeMessages } from './compose-messages.ts'
import { composeRuntime, type FunctionName } from './compose-runtime.ts'
import { composeState, type State } from './compose-state.ts'
import type { Settings } from './settings.ts'

export interface Parts {
  readonly runtime: Runtime
  readonly state: State
  readonly kubernetes: Clusters
  readonly messages: MessageSender
  readonly ids: Ids
  readonly random: Random
}

export function composeParts(functionName: FunctionName, settings: Settings): Parts {
  const runtime = composeRuntime(functionName)
  const ids = makeUuids()
  return {
    runtime,
    state: composeState(settings, { ...runtime, ids }),
    kubernetes: composeClusters(settings, { runtime, functionName }),
    messages: composeMessages(settings, ids),
    ids,
    random: makeSystemRandom(),
  }
}
