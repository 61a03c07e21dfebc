import type { Clock, Ids } from '../../../lib/ambient/ports.ts'
import type { Registry } from './registry.ts'
import type { Store } from './store.ts'
import type { ListSnapshots } from './verbs/list.ts'

/** What every verb works on. */
export interface ApiContext {
  readonly store: Store
  readonly registry: Registry
  readonly snapshots: ListSnapshots
  readonly clock: Clock
  readonly ids: Ids
  /** Between bookmarks of a watch that allows them. */
  readonly bookmarkIntervalMs: number
}
