import type { ClusterItem, Clusters } from '../../../lib/hosts/ports.ts'

/** The cluster items of the table; the connections to clusters are another port, in lib/kubernetes. */
export function fakeClusterItems(installationID = 'installation-1'): Clusters {
  const items = new Map<string, ClusterItem>()
  return {
    installation: async () => installationID,
    async observed(cluster, atMs, clusterUid) {
      const before = items.get(cluster)?.observedAtMs ?? 0
      items.set(cluster, { cluster, installationID, observedAtMs: Math.max(before, atMs), clusterUid })
    },
    get: async (cluster) => items.get(cluster),
  }
}
