import { PodNeeds } from '../../../lib/api/pod.ts'
import { PodShape, type PendingPod } from '../../../lib/messages/cluster-observed.ts'

export interface PodOverrides {
  name?: string
  cpu?: string
  memory?: string
  requests?: Record<string, string>
  createdAtMs?: number
  labels?: Record<string, string>
  /** Anything else of its needs. */
  needs?: object
}

function needsOf({ cpu = '1', memory = '1Gi', requests, needs }: PodOverrides): PodNeeds {
  return PodNeeds.parse({ requests: { cpu, memory, pods: '1', ...requests }, ...needs })
}

/** A pod that asks for 1 CPU and 1Gi and that the scheduler found no place for. */
export function aPendingPod(overrides: PodOverrides = {}): PendingPod {
  const { name = 'pod', createdAtMs = 0, labels = {} } = overrides
  return {
    uid: `uid-${name}`,
    namespace: 'default',
    name,
    createdAtMs,
    unschedulableSinceMs: createdAtMs,
    labels,
    needs: needsOf(overrides),
  }
}

export function pendingPods(count: number, overrides: PodOverrides = {}): PendingPod[] {
  return Array.from({ length: count }, (_, index) =>
    aPendingPod({ ...overrides, name: `${overrides.name ?? 'pod'}-${index}` }),
  )
}

/** One bound pod of a ReplicaSet on node `n1`, unless told otherwise. */
export function aPodShape(
  overrides: PodOverrides & Partial<Omit<PodShape, 'needs' | 'labels'>> = {},
): PodShape {
  return PodShape.parse({
    namespace: 'default',
    labels: {},
    ownerKind: 'ReplicaSet',
    isTerminal: false,
    isTerminating: false,
    isReady: true,
    priority: 0,
    deletionCost: 0,
    nodes: { n1: 1 },
    ...overrides,
    needs: needsOf(overrides),
  })
}
