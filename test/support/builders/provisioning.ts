import type { ProvisioningPlan } from '../../../lib/provisioning/plan-provisioning.ts'
import type { FreeHost } from '../../../lib/provisioning/free-host.ts'
import type { ProvisioningSnapshot } from '../../../lib/provisioning/snapshot.ts'
import { aFreeHost } from './free-hosts.ts'
import { aNodePool } from './node-pools.ts'

/** One pool `p` of class `c`, and no host unless told. */
export function aProvisioningSnapshot(
  overrides: Partial<Omit<ProvisioningSnapshot, 'freeHosts'>> & { hosts?: readonly FreeHost[] } = {},
): ProvisioningSnapshot {
  const { hosts = [], ...rest } = overrides
  return {
    nodePools: [aNodePool()],
    nodeClaims: [],
    nodes: [],
    pendingPods: [],
    podShapes: [],
    daemonSets: [],
    freeHosts: new Map([['c', hosts]]),
    claimedHosts: new Map(),
    ...rest,
  }
}

export function someHosts(count: number, overrides: Parameters<typeof aFreeHost>[0] = {}): FreeHost[] {
  return Array.from({ length: count }, (_, index) =>
    aFreeHost({ ...overrides, name: `${overrides.hostClass ?? 'h'}-${index}` }),
  )
}

export function aSizedHost(name: string, cpu: string, memory = '64Gi'): FreeHost {
  return aFreeHost({ name, hostClass: name, capacity: { cpu, memory, pods: '110' } })
}

/** Names of the pods of each NodeClaim. */
export function podsPerNodeClaim(plan: ProvisioningPlan): string[][] {
  return plan.nodeClaims.map(({ pods }) => pods.map((uid) => uid.replace('uid-', '')).sort())
}

/** `pod: Code, Code` for each pod that found no place. */
export function unplacedCodes(plan: ProvisioningPlan): string[] {
  return plan.unplaced.map(({ name, reasons }) => `${name}: ${reasons.map(({ code }) => code).join(', ')}`)
}
