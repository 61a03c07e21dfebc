// One feed per resource, and what is known about each.
import type { Resource } from '../kubernetes/ports.ts'
import {
  daemonSets,
  leases,
  nodeClaims,
  nodePools,
  nodes,
  podDisruptionBudgets,
  pods,
  sshHosts,
  sshJoinProfiles,
  sshNodeClasses,
} from '../kubernetes/resources.ts'
import type { ClusterView } from '../watch/cluster-view.ts'
import type { ObjectTable } from '../watch/object-table.ts'
import type { FollowDeps } from './feed-attempt.ts'
import { followResource } from './follow-resource.ts'
import type { HealthFacts } from './health.ts'
import { type FeedListener, makeTableSink } from './table-sink.ts'
import { makeTurns } from './turns.ts'

/** Kubelets renew their Leases here; other Leases are none of our business. */
const nodeLeaseNamespace = 'kube-node-lease'

export interface FeedsDeps extends Omit<FollowDeps<never>, 'resource' | 'namespace' | 'sink' | 'inTurn'> {
  readonly view: ClusterView
  readonly onChange: () => void
  /** All feeds are in sync, or not all any more. */
  readonly onSync: (isSynced: boolean) => void
}

export interface Feeds {
  /** Resolves when all have ended after `signal` aborted. */
  readonly done: Promise<unknown>
  facts(): Pick<HealthFacts, 'heardAtMs' | 'unsyncedFeeds'>
}

export function startFeeds({ view, onChange, onSync, ...deps }: FeedsDeps, signal: AbortSignal): Feeds {
  const heardAtMs: Record<string, number | undefined> = {}
  const unsynced = new Set<string>()
  const listener: FeedListener = {
    changed: onChange,
    heard(feed) {
      heardAtMs[feed] = deps.clock.nowMs()
    },
    synced(feed) {
      if (unsynced.delete(feed) && unsynced.size === 0) onSync(true)
    },
    unsynced(feed) {
      if (unsynced.size === 0) onSync(false)
      unsynced.add(feed)
    },
  }
  const inTurn = makeTurns()
  function follow<T>(
    resource: Resource<T>,
    table: Pick<ObjectTable<T>, 'put' | 'remove' | 'retain'>,
    place: { readonly namespace?: string } = {},
  ): Promise<void> {
    const feed = resource.plural
    heardAtMs[feed] = undefined
    unsynced.add(feed)
    const sink = makeTableSink(table, { feed, listener, log: deps.log })
    return followResource({ ...deps, ...place, resource, sink, inTurn }, signal)
  }
  const following = [
    follow(nodePools, view.nodePools),
    follow(nodeClaims, view.nodeClaims),
    follow(sshHosts, view.sshHosts),
    follow(sshNodeClasses, view.nodeClasses),
    follow(sshJoinProfiles, view.profiles),
    follow(nodes, view.nodes),
    follow(leases, view.leases, { namespace: nodeLeaseNamespace }),
    follow(pods, view.pods),
    follow(daemonSets, view.daemonSets),
    follow(podDisruptionBudgets, view.podDisruptionBudgets),
  ]
  return { done: Promise.all(following), facts: () => ({ heardAtMs, unsyncedFeeds: [...unsynced] }) }
}
