// Everything the watcher knows of one cluster, and the snapshot of it that is sent.
import { createHash } from 'node:crypto'
import type { DaemonSet } from '../api/daemon-set.ts'
import type { Lease } from '../api/lease.ts'
import type { Node } from '../api/node.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { NodePool } from '../api/node-pool.ts'
import type { PodDisruptionBudget } from '../api/pod-disruption-budget.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import type { ClusterSnapshot, LeaseFact, ProfileFact } from '../messages/cluster-observed.ts'
import { interestOf } from './interest.ts'
import { makeObjectTable, type ObjectTable } from './object-table.ts'
import { makePodTable, type PodTable } from './pod-table.ts'
import { leaseFactOf, profileFactOf, trimNode, trimObject } from './trim.ts'
import { mattersAsIs, mattersNever, mattersWhole, mattersWithoutStatus } from './what-matters.ts'

export interface ClusterView {
  readonly nodePools: ObjectTable<NodePool>
  readonly nodeClaims: ObjectTable<NodeClaim>
  readonly sshHosts: ObjectTable<SSHHost>
  readonly nodeClasses: ObjectTable<SSHNodeClass>
  readonly profiles: ObjectTable<SSHJoinProfile, ProfileFact>
  readonly nodes: ObjectTable<Node>
  readonly leases: ObjectTable<Lease, LeaseFact>
  readonly pods: PodTable
  readonly daemonSets: ObjectTable<DaemonSet>
  readonly podDisruptionBudgets: ObjectTable<PodDisruptionBudget>
}

export function makeClusterView(): ClusterView {
  return {
    nodePools: makeObjectTable({ keep: trimObject<NodePool>, matters: mattersWithoutStatus }),
    nodeClaims: makeObjectTable({ keep: trimObject<NodeClaim>, matters: mattersWithoutStatus }),
    sshHosts: makeObjectTable({ keep: trimObject<SSHHost>, matters: mattersWithoutStatus }),
    nodeClasses: makeObjectTable({ keep: trimObject<SSHNodeClass>, matters: mattersWithoutStatus }),
    profiles: makeObjectTable({ keep: profileFactOf, matters: mattersAsIs }),
    nodes: makeObjectTable({ keep: trimNode, matters: mattersWhole }),
    leases: makeObjectTable({ keep: leaseFactOf, matters: mattersNever }),
    pods: makePodTable(),
    daemonSets: makeObjectTable({ keep: trimObject<DaemonSet>, matters: mattersWhole }),
    podDisruptionBudgets: makeObjectTable({ keep: trimObject<PodDisruptionBudget>, matters: mattersWhole }),
  }
}

/** Sorted throughout: the same cluster always gives the same snapshot. */
export function snapshotOf(view: ClusterView): ClusterSnapshot {
  const interest = interestOf({
    podNeeds: view.pods.needs(),
    podDisruptionBudgets: view.podDisruptionBudgets.values(),
    daemonSets: view.daemonSets.values(),
    nodeClasses: view.nodeClasses.values(),
  })
  return {
    nodePools: byMeta(view.nodePools.values()),
    nodeClaims: byMeta(view.nodeClaims.values()),
    sshHosts: byMeta(view.sshHosts.values()),
    nodeClasses: byMeta(view.nodeClasses.values()),
    profiles: [...view.profiles.values()].sort((a, b) => order(a.name, b.name)),
    nodes: byMeta(view.nodes.values()),
    leases: [...view.leases.values()].sort((a, b) => order(a.nodeName, b.nodeName)),
    pendingPods: [...view.pods.pending(interest)],
    podShapes: [...view.pods.shapes(interest)],
    daemonSets: byMeta(view.daemonSets.values()),
    podDisruptionBudgets: byMeta(view.podDisruptionBudgets.values()),
  }
}

/** The same for two snapshots that no decision could tell apart. */
export function digestOf(snapshot: ClusterSnapshot): string {
  const hash = createHash('sha256')
  const add = <T>(items: readonly T[], matters: (item: T) => string): void => {
    for (const item of items) hash.update(matters(item)).update('\n')
    hash.update('\0')
  }
  add(snapshot.nodePools, mattersWithoutStatus)
  add(snapshot.nodeClaims, mattersWithoutStatus)
  add(snapshot.sshHosts, mattersWithoutStatus)
  add(snapshot.nodeClasses, mattersWithoutStatus)
  add(snapshot.profiles, mattersAsIs)
  add(snapshot.nodes, mattersWhole)
  add(snapshot.pendingPods, mattersAsIs)
  add(snapshot.podShapes, mattersAsIs)
  add(snapshot.daemonSets, mattersWhole)
  add(snapshot.podDisruptionBudgets, mattersWhole)
  return hash.digest('base64url')
}

function byMeta<
  T extends { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } },
>(objects: Iterable<T>): T[] {
  return [...objects].sort(
    (a, b) =>
      order(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
      order(a.metadata.name, b.metadata.name),
  )
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
