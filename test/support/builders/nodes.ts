import { DaemonSet } from '../../../lib/api/daemon-set.ts'
import { NodeClaim } from '../../../lib/api/node-claim.ts'
import type { Requirement } from '../../../lib/api/node-pool.ts'
import { Node } from '../../../lib/api/node.ts'
import type { Condition } from '../../../lib/api/object-meta.ts'
import type { Taint } from '../../../lib/api/taint.ts'

const created = '2026-01-01T00:00:00Z'

function metadata(name: string, more: object = {}): object {
  return {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: created,
    generation: 1,
    ...more,
  }
}

export interface NodeOverrides {
  name?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  taints?: Taint[]
  allocatable?: Record<string, string>
  providerID?: string
  unschedulable?: boolean
  isReady?: boolean
  deletionTimestamp?: string
}

/** A Ready Node with 4 CPUs and 8Gi that nobody made a NodeClaim for. */
export function aNode(overrides: NodeOverrides = {}): Node {
  const {
    name = 'n1',
    labels = {},
    annotations,
    taints,
    providerID,
    unschedulable,
    isReady = true,
  } = overrides
  const allocatable = overrides.allocatable ?? { cpu: '4', memory: '8Gi', pods: '110' }
  return Node.parse({
    metadata: metadata(name, { labels, annotations, deletionTimestamp: overrides.deletionTimestamp }),
    spec: { taints, providerID, unschedulable },
    status: {
      allocatable,
      capacity: allocatable,
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    },
  })
}

/** Labels of a Node of pool `p` that has come all the way. */
export function initializedLabels(pool = 'p'): Record<string, string> {
  return {
    'karpenter.sh/nodepool': pool,
    'karpenter.dklesev.github.io/sshnodeclass': 'c',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'node.kubernetes.io/instance-type': 'small',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'topology.kubernetes.io/zone': 'pool',
    'karpenter.sh/capacity-type': 'on-demand',
  }
}

export interface NodeClaimOverrides {
  name?: string
  pool?: string
  kind?: 'SSHNodeClass' | 'EC2NodeClass'
  labels?: Record<string, string>
  requirements?: Requirement[]
  requests?: Record<string, string>
  taints?: Taint[]
  startupTaints?: Taint[]
  capacity?: Record<string, string>
  providerID?: string
  conditions?: Condition[]
  lastPodEventTime?: string
  deletionTimestamp?: string
  creationTimestamp?: string
  terminationGracePeriod?: string
}

/** A NodeClaim of pool `p` that nothing has happened to yet. */
export function aNodeClaim(overrides: NodeClaimOverrides = {}): NodeClaim {
  const { name = 'nc1', pool = 'p', kind = 'SSHNodeClass', requirements = [], requests, capacity } = overrides
  const { taints, startupTaints, terminationGracePeriod, providerID, conditions, lastPodEventTime } =
    overrides
  const group = kind === 'SSHNodeClass' ? 'karpenter.dklesev.github.io' : 'karpenter.k8s.aws'
  const { deletionTimestamp, creationTimestamp = created } = overrides
  return NodeClaim.parse({
    metadata: metadata(name, {
      labels: { 'karpenter.sh/nodepool': pool, ...overrides.labels },
      deletionTimestamp,
      creationTimestamp,
    }),
    spec: {
      nodeClassRef: { group, kind, name: 'c' },
      requirements,
      resources: { requests },
      taints,
      startupTaints,
      terminationGracePeriod,
    },
    status: { capacity, allocatable: capacity, providerID, conditions, lastPodEventTime },
  })
}

/** A DaemonSet whose pods ask for 1 CPU and 1Gi on every node. */
export function aDaemonSet(
  overrides: { name?: string; requests?: Record<string, string>; spec?: object } = {},
): DaemonSet {
  const { name = 'ds', requests = { cpu: '1', memory: '1Gi' }, spec = {} } = overrides
  const containers = [{ name: 'c', resources: { requests } }]
  return DaemonSet.parse({ metadata: metadata(name), spec: { template: { spec: { containers, ...spec } } } })
}
