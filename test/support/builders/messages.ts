import type { ClusterObserved, ClusterSnapshot } from '../../../lib/messages/cluster-observed.ts'
import type { HostChanged, ProbeHosts, RunPhase } from '../../../lib/messages/run-phase.ts'
import { aHostKey, t0 } from './hosts.ts'

/** For the claim of aClaimedHost, with half an hour to go; an override of undefined takes a field away. */
export function aRunPhase(
  overrides: { readonly [K in keyof RunPhase]?: RunPhase[K] | undefined } = {},
): RunPhase {
  const message = {
    type: 'RunPhase',
    version: 1,
    cluster: 'lab',
    phase: 'join',
    host: aHostKey(),
    nodeClaim: { name: 'workers-abcde', uid: 'uid-1' },
    reason: 'Launch',
    attempt: 1,
    requestedAtMs: t0,
    deadlineAtMs: t0 + 1_800_000,
    ...overrides,
  }
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined)) as RunPhase
}

/** For the host of that name. */
export function aRunPhaseOn(host: string, overrides: Partial<RunPhase> = {}): RunPhase {
  return aRunPhase({ host: aHostKey(host), ...overrides })
}

export function aProbeHosts(overrides: Partial<ProbeHosts> = {}): ProbeHosts {
  return {
    type: 'ProbeHosts',
    version: 1,
    cluster: 'lab',
    hosts: [aHostKey()],
    reason: 'Schedule',
    attempt: 1,
    requestedAtMs: t0,
    deadlineAtMs: t0 + 600_000,
    ...overrides,
  }
}

export function aHostChanged(overrides: Partial<HostChanged> = {}): HostChanged {
  return {
    type: 'HostChanged',
    version: 1,
    cluster: 'lab',
    host: aHostKey(),
    what: 'join',
    atMs: t0,
    ...overrides,
  }
}

/** An empty cluster unless the test fills it. */
export function aSnapshot(overrides: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return {
    nodePools: [],
    nodeClaims: [],
    sshHosts: [],
    nodeClasses: [],
    profiles: [],
    nodes: [],
    leases: [],
    pendingPods: [],
    podShapes: [],
    daemonSets: [],
    podDisruptionBudgets: [],
    ...overrides,
  }
}

export function aClusterObserved(
  overrides: Partial<Omit<ClusterObserved, 'snapshot'>> & {
    readonly snapshot?: Partial<ClusterSnapshot>
  } = {},
): ClusterObserved {
  const { snapshot, ...fields } = overrides
  return {
    type: 'ClusterObserved',
    version: 1,
    cluster: 'lab',
    clusterUid: 'cluster-uid',
    sentAtMs: t0,
    reason: 'Changed',
    degraded: [],
    snapshot: aSnapshot(snapshot),
    ...fields,
  }
}
