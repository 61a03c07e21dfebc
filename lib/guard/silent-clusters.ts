import type { ClusterItem } from '../hosts/ports.ts'
import type { GuardSettings } from './guard-settings.ts'

export interface Heartbeat {
  readonly cluster: string
  readonly item: ClusterItem | undefined
}

/** Clusters whose watcher was not heard for too long, or never. */
export function silentClusters(
  heartbeats: readonly Heartbeat[],
  nowMs: number,
  { silentAfterMs }: GuardSettings,
): readonly string[] {
  return heartbeats
    .filter(({ item }) => nowMs - (item?.observedAtMs ?? 0) >= silentAfterMs)
    .map(({ cluster }) => cluster)
}
