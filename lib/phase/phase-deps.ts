import type { Ids, Random, Scope } from '../ambient/ports.ts'
import type { HostRuns } from '../execution/ports.ts'
import type { ChangeHost } from '../hosts/change-host.ts'
import type { History, HostReader, LeaveRecipes } from '../hosts/ports.ts'
import type { Clusters } from '../kubernetes/ports.ts'
import type { MessageSender } from '../messages/ports.ts'
import type { RunPhase } from '../messages/run-phase.ts'
import type { ParseKnownHost } from './ssh-credentials.ts'

export interface PhaseDeps {
  readonly hosts: Pick<HostReader, 'get'>
  readonly changeHost: ChangeHost
  readonly recipes: LeaveRecipes
  /** The id of this installation, which every host that we touch remembers. */
  readonly installation: () => Promise<string>
  readonly history: Pick<History, 'append'>
  readonly runs: HostRuns
  readonly clusters: Clusters
  readonly messages: MessageSender
  readonly ids: Ids
  readonly random: Random
  readonly parseKnownHost: ParseKnownHost
}

/** One delivery of a message while it is carried out. */
export interface Activity {
  readonly deps: PhaseDeps
  readonly message: RunPhase
  /** Its deadline is when a run that goes on without us is handed over. */
  readonly scope: Scope
  /** When the invocation ends, and with it a run that cannot go on without it. */
  readonly endsAtMs: number
  /** Names this delivery as the watcher of a run. */
  readonly holder: string
}
