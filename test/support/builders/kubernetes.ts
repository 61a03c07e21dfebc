// Kubernetes objects as tests need them; a test states only what matters to it.
import type { Condition, ObjectMeta } from '../../../lib/api/object-meta.ts'
import type { NodeClaim } from '../../../lib/api/node-claim.ts'
import type { NodePool } from '../../../lib/api/node-pool.ts'
import type { Node } from '../../../lib/api/node.ts'
import type { Pod } from '../../../lib/api/pod.ts'
import type { SSHHost } from '../../../lib/api/ssh-host.ts'
import type { SSHJoinProfile } from '../../../lib/api/ssh-join-profile.ts'
import type { SSHNodeClass } from '../../../lib/api/ssh-node-class.ts'

export const createdAt = '2026-01-01T00:00:00Z'

export function meta(name: string, overrides: Partial<ObjectMeta> = {}): ObjectMeta {
  return {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    creationTimestamp: createdAt,
    generation: 1,
    ...overrides,
  }
}

export function isTrueNow(type: string, atText = createdAt): Condition {
  return {
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: atText,
    observedGeneration: 1,
  }
}

interface Parts<Spec, Status> {
  readonly metadata?: Partial<ObjectMeta>
  readonly spec?: Partial<Spec>
  readonly status?: Status
}

const nodeClassRef = { group: 'karpenter.dklesev.github.io', kind: 'SSHNodeClass', name: 'rack' }

export function aNodeClaim(
  parts: Parts<NodeClaim['spec'], NodeClaim['status']> & { readonly name?: string } = {},
): NodeClaim {
  const { name = 'workers-abcde' } = parts
  return {
    metadata: meta(name, { uid: 'uid-1', finalizers: ['karpenter.sh/termination'], ...parts.metadata }),
    spec: { nodeClassRef, requirements: [], expireAfter: '720h', ...parts.spec },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  }
}

export function aNode(
  parts: Parts<NonNullable<Node['spec']>, NonNullable<Node['status']>> & { readonly name?: string } = {},
): Node {
  return {
    metadata: meta(parts.name ?? 'workers-abcde', parts.metadata),
    spec: {
      providerID: 'kpssh://kpssh-system/h1',
      taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
      ...parts.spec,
    },
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
      conditions: [isTrueNow('Ready')],
      addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
      ...parts.status,
    },
  }
}

export function aNodeClass(
  parts: Parts<SSHNodeClass['spec'], SSHNodeClass['status']> & { readonly name?: string } = {},
): SSHNodeClass {
  return {
    metadata: meta(parts.name ?? 'rack', {
      finalizers: ['karpenter.dklesev.github.io/termination'],
      ...parts.metadata,
    }),
    spec: {
      joinProfileRef: { name: 'demo' },
      providerIDSource: 'Static',
      pricePerCPUHour: '0.02',
      cluster: { endpoint: 'https://192.0.2.100:6443' },
      ...parts.spec,
    },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  }
}

export function aProfile(
  parts: Parts<SSHJoinProfile['spec'], never> & { readonly name?: string } = {},
): SSHJoinProfile {
  return {
    metadata: meta(parts.name ?? 'demo', parts.metadata),
    spec: {
      version: '1',
      scripts: { install: 'set -eu\n', join: 'set -eu\n', leave: 'set -eu\n' },
      agentUnits: ['kubelet'],
      ...parts.spec,
    },
  }
}

export function anSSHHost(
  parts: Parts<SSHHost['spec'], SSHHost['status']> & { readonly name?: string } = {},
): SSHHost {
  return {
    metadata: meta(parts.name ?? 'h1', { namespace: 'kpssh-system', ...parts.metadata }),
    spec: {
      address: '192.0.2.1',
      port: 22,
      user: 'root',
      sshKeySecretRef: { name: 'ssh-key' },
      capacity: { cpu: '4', memory: '8Gi' },
      execMode: 'Raw',
      pool: 'lab',
      ...parts.spec,
    },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  }
}

export function aNodePool(
  parts: Parts<NodePool['spec'], NodePool['status']> & { readonly name?: string } = {},
): NodePool {
  return {
    metadata: meta(parts.name ?? 'workers', parts.metadata),
    spec: {
      template: { spec: { nodeClassRef, requirements: [], expireAfter: 'Never' } },
      disruption: { consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '100%' }] },
      ...parts.spec,
    },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  }
}

export function aPod(parts: Parts<Pod['spec'], Pod['status']> & { readonly name?: string } = {}): Pod {
  return {
    metadata: meta(parts.name ?? 'web-1', { namespace: 'default', ...parts.metadata }),
    spec: { containers: [{ name: 'main' }], nodeName: 'workers-abcde', ...parts.spec },
    status: parts.status ?? { phase: 'Running' },
  }
}
