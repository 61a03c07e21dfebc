import { capacityTypeOnDemand, labels } from '../api/names.ts'
import type { Labels } from '../api/label-selector.ts'
import type { ResourceList } from '../api/resource-list.ts'
import type { HostKey } from '../hosts/host-record.ts'

/** A host that a NodeClaim of one node class could take now: available, unclaimed, not resting. */
export interface FreeHost {
  readonly key: HostKey
  /** `hostKeyText(key)`: the same machine has the same text in every node class. */
  readonly text: string
  readonly hostClass: string
  /** Its own, not its class's minimum; `pods` included. */
  readonly capacity: ResourceList
  /** Capacity without what the node class reserves. */
  readonly allocatable: ResourceList
  /** As Kubernetes names it. */
  readonly arch: string
  readonly zone: string
  /** creationTimestamp of the SSHHost. */
  readonly createdAt: string
  /** Failures in a row; a host that failed lately is taken last among equals. */
  readonly failureCount: number
}

/** The labels that its Node will have because of the host. */
export function hostLabels({ hostClass, arch, zone }: Pick<FreeHost, 'hostClass' | 'arch' | 'zone'>): Labels {
  return {
    [labels.instanceType]: hostClass,
    [labels.arch]: arch,
    [labels.os]: 'linux',
    [labels.zone]: zone,
    [labels.capacityType]: capacityTypeOnDemand,
  }
}
