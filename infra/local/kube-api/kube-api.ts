// The API without a network: requests in, answers out, objects in memory. kube-api-server.ts puts TLS in front of it.
import type { Clock, Ids } from '../../../lib/ambient/ports.ts'
import type { ApiRequest, ApiResponse } from './api-request.ts'
import { makeFaults, type Faults } from './faults.ts'
import { handleRequest, type ApiHandler } from './handle-request.ts'
import { localClock, localIds } from './local-ambient.ts'
import { makeRegistry } from './registry.ts'
import type { ResourceType } from './resource-type.ts'
import { makeStore, type Store } from './store.ts'
import { administrator, type UserInfo } from './user.ts'
import { makeListSnapshots } from './verbs/list.ts'
import type { LiveWatch } from './verbs/live-watch.ts'

export interface KubeApiOptions {
  readonly clock?: Clock
  readonly ids?: Ids
  /** Default 60 000, as a real server's. */
  readonly bookmarkIntervalMs?: number
  /** Changes kept per resource for watches that start in the past. Default 20 000. */
  readonly historyLimit?: number
}

/** A request without the network; by default the administrator's. */
export type LocalRequest = Omit<ApiRequest, 'user'> & { readonly user?: UserInfo }

export interface KubeApi {
  readonly store: Store
  readonly faults: Faults
  /** The kinds served right now. */
  types(): readonly ResourceType[]
  handle(request: LocalRequest): ApiResponse
  /** Watches open right now, by plural. */
  liveWatches(): Readonly<Record<string, number>>
  endWatches(): void
}

export function makeKubeApi(
  options: KubeApiOptions = {},
  dropConnections: () => void = noConnections,
): KubeApi {
  const store = makeStore(options.historyLimit === undefined ? {} : { historyLimit: options.historyLimit })
  const registry = makeRegistry(store)
  const snapshots = makeListSnapshots()
  const live = new Set<LiveWatch>()
  const forgetHistory = (): void => {
    store.forgetHistory()
    snapshots.forget()
  }
  const handler: ApiHandler = {
    context: {
      store,
      registry,
      snapshots,
      clock: options.clock ?? localClock,
      ids: options.ids ?? localIds,
      bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
    },
    live,
    faults: makeFaults({ live, forgetHistory, dropConnections }),
  }
  return {
    store,
    faults: handler.faults,
    types: () => registry.all(),
    handle: (request) => handleRequest(handler, { user: administrator, ...request }),
    liveWatches: () => countByPlural(live),
    endWatches: () => {
      for (const watch of [...live]) watch.end()
    },
  }
}

function noConnections(): void {
  // Without a network there are none to drop.
}

function countByPlural(live: ReadonlySet<LiveWatch>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { type } of live) counts[type.plural] = (counts[type.plural] ?? 0) + 1
  return counts
}
