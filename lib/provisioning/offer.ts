// A free host in the light of one template: what it leaves for pods once the template's daemons run there.
import { amountsOf, fits, largerAmounts, noAmounts, subtractAmounts, type Amounts } from '../api/amounts.ts'
import type { HostPort } from '../api/pod.ts'
import { overheadOnNew, type Daemon } from './daemons.ts'
import { hostLabels, type FreeHost } from './free-host.ts'
import { compareHosts } from './rank-hosts.ts'
import { combine, disjointKey, requirementsOfLabels, type Requirements } from './requirements.ts'
import type { Template } from './template.ts'

export interface Offer {
  readonly host: FreeHost
  readonly requirements: Requirements
  readonly capacity: Amounts
  readonly overhead: Amounts
  /** Allocatable without overhead. */
  readonly available: Amounts
  readonly daemonPorts: readonly HostPort[]
}

/** Best host first. Hosts that the template or its daemons rule out are left out. */
export function offersOf(
  template: Template,
  hosts: readonly FreeHost[],
  daemons: readonly Daemon[],
): readonly Offer[] {
  return [...hosts]
    .sort(compareHosts)
    .map((host) => offerOf(template, host, daemons))
    .filter(
      ({ requirements, available }) =>
        disjointKey(template.requirements, requirements) === undefined && fits(noAmounts, available),
    )
}

function offerOf(template: Template, host: FreeHost, daemons: readonly Daemon[]): Offer {
  const requirements = requirementsOfLabels(hostLabels(host))
  const overhead = overheadOnNew(daemons, {
    requirements: combine(template.requirements, requirements),
    taints: template.taints,
  })
  return {
    host,
    requirements,
    capacity: amountsOf(host.capacity),
    overhead: overhead.requests,
    available: subtractAmounts(amountsOf(host.allocatable), overhead.requests),
    daemonPorts: overhead.hostPorts,
  }
}

/** The most that any of them has of each resource. */
export function largestCapacity(offers: readonly Offer[]): Amounts {
  return offers.reduce((largest, { capacity }) => largerAmounts(largest, capacity), noAmounts)
}
