// What the watcher tells. Facts only, trimmed; see lib/watch for how they are made.
import { z } from 'zod'
import { DaemonSet } from '../api/daemon-set.ts'
import { Node } from '../api/node.ts'
import { NodeClaim } from '../api/node-claim.ts'
import { NodePool } from '../api/node-pool.ts'
import { PodDisruptionBudget } from '../api/pod-disruption-budget.ts'
import { PodNeeds } from '../api/pod.ts'
import { SSHHost } from '../api/ssh-host.ts'
import { SSHNodeClass } from '../api/ssh-node-class.ts'

/** One pod that the scheduler found no place for. */
export const PendingPod = z.object({
  uid: z.string(),
  namespace: z.string(),
  name: z.string(),
  createdAtMs: z.number(),
  /** When PodScheduled turned False with reason Unschedulable. */
  unschedulableSinceMs: z.number(),
  labels: z.record(z.string(), z.string()),
  needs: PodNeeds,
})
export type PendingPod = Readonly<z.infer<typeof PendingPod>>

/** Pods that differ in nothing that matters to a decision, counted per node. */
export const PodShape = z.object({
  namespace: z.string(),
  /** Only labels that some selector refers to. */
  labels: z.record(z.string(), z.string()),
  needs: PodNeeds,
  /** Kind of the controlling owner; empty for none. `Node` is a mirror pod. */
  ownerKind: z.string(),
  doNotDisrupt: z.string().optional(),
  /** Succeeded or Failed. */
  isTerminal: z.boolean(),
  isTerminating: z.boolean(),
  isReady: z.boolean(),
  priority: z.number(),
  deletionCost: z.number(),
  /** Node name to number of such pods. */
  nodes: z.record(z.string(), z.number()),
})
export type PodShape = Readonly<z.infer<typeof PodShape>>

export const ProfileFact = z.object({
  name: z.string(),
  version: z.string(),
  resourceVersion: z.string(),
  agentUnits: z.array(z.string()),
})
export type ProfileFact = Readonly<z.infer<typeof ProfileFact>>

export const LeaseFact = z.object({ nodeName: z.string(), renewedAtMs: z.number() })
export type LeaseFact = Readonly<z.infer<typeof LeaseFact>>

export const ClusterSnapshot = z.object({
  nodePools: z.array(NodePool),
  nodeClaims: z.array(NodeClaim),
  sshHosts: z.array(SSHHost),
  nodeClasses: z.array(SSHNodeClass),
  profiles: z.array(ProfileFact),
  nodes: z.array(Node),
  leases: z.array(LeaseFact),
  pendingPods: z.array(PendingPod),
  podShapes: z.array(PodShape),
  daemonSets: z.array(DaemonSet),
  podDisruptionBudgets: z.array(PodDisruptionBudget),
})
export type ClusterSnapshot = Readonly<z.infer<typeof ClusterSnapshot>>

export const ClusterObserved = z.strictObject({
  type: z.literal('ClusterObserved'),
  version: z.literal(1),
  cluster: z.string().min(1),
  /** uid of the kube-system namespace: the same cluster under another name is still the same cluster. */
  clusterUid: z.string(),
  sentAtMs: z.number(),
  /** Why it was sent: `Changed`, `Heartbeat`, `Started`. */
  reason: z.enum(['Started', 'Changed', 'Heartbeat']),
  /** What had to be left out to fit: `pendingPods:12000`, `endedPods:300`, `boundPods:9000` (all of them); empty when complete. */
  degraded: z.array(z.string()),
  snapshot: ClusterSnapshot,
})
export type ClusterObserved = Readonly<z.infer<typeof ClusterObserved>>
