// What a host offers as a Node: its own stated capacity, not its class's minimum.
import { defaultKubeReserved, defaultMaxPods } from '../api/names.ts'
import { amountsOf, formatAmounts, subtractAmounts } from '../api/amounts.ts'
import type { ResourceList } from '../api/resource-list.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'

export interface HostSize {
  readonly capacity: ResourceList
  readonly allocatable: ResourceList
}

/** `kubeReserved` of the class replaces the default, it is not merged with it: so the reference does. */
export function hostSize(
  sshHost: SSHHost | undefined,
  nodeClass: SSHNodeClass | undefined,
): Partial<HostSize> {
  if (sshHost === undefined) return {}
  const pods = String(nodeClass?.spec.maxPods ?? sshHost.spec.capacity['pods'] ?? defaultMaxPods)
  const capacity = { ...sshHost.spec.capacity, pods }
  // What is reserved of a resource that the host does not have would only make it look negative.
  const reserved = Object.entries(nodeClass?.spec.kubeReserved ?? defaultKubeReserved).filter(
    ([name]) => name in capacity,
  )
  const allocatable = subtractAmounts(amountsOf(capacity), amountsOf(Object.fromEntries(reserved)))
  return { capacity, allocatable: formatAmounts(allocatable) }
}
