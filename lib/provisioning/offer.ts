// A free host in the light of one template: what it leaves for pods once the template's daemons run there.
import { fits, largerAmounts, noAmounts, subtractAmounts, type Amounts } from '../api/amounts.ts'
import type { HostPort } from '../api/pod.ts'
import { overheadOnNew, type Daemon } from './daemons.ts'
import type { FreeHost } from './free-host.ts'
import { oncePerShape, shapesOf, type HostShape } from './host-shape.ts'
import { bestFirst } from './rank-hosts.ts'
import { combine, disjointKey, type Requirements } from './requirements.ts'
import type { Template } from './template.ts'

/** What offers of hosts of one shape have in common; they share the object. */
export interface OfferShape {
  readonly requirements: Requirements
  readonly capacity: Amounts
  readonly overhead: Amounts
  /** Allocatable without overhead. */
  readonly available: Amounts
  readonly daemonPorts: readonly HostPort[]
}

export interface Offer {
  readonly host: FreeHost
  readonly shape: OfferShape
}

/** Best host first. Hosts that the template or its daemons rule out are left out. */
export function offersOf(
  template: Template,
  hosts: readonly FreeHost[],
  daemons: readonly Daemon[],
): readonly Offer[] {
  const shapeOf = shapesOf(hosts)
  const offered = oncePerShape((shape: HostShape) => offerShapeOf(template, shape, daemons))
  return bestFirst(hosts, shapeOf).flatMap((host) => {
    const shape = offered(shapeOf(host))
    return shape === undefined ? [] : [{ host, shape }]
  })
}

function offerShapeOf(
  template: Template,
  { requirements, capacity, allocatable }: HostShape,
  daemons: readonly Daemon[],
): OfferShape | undefined {
  if (disjointKey(template.requirements, requirements) !== undefined) return undefined
  const overhead = overheadOnNew(daemons, {
    requirements: combine(template.requirements, requirements),
    taints: template.taints,
  })
  const available = subtractAmounts(allocatable, overhead.requests)
  if (!fits(noAmounts, available)) return undefined
  return {
    requirements,
    capacity,
    overhead: overhead.requests,
    available,
    daemonPorts: overhead.hostPorts,
  }
}

/** The most that any of them has of each resource. */
export function largestCapacity(offers: readonly Offer[]): Amounts {
  return shapesAmong(offers).reduce((largest, { capacity }) => largerAmounts(largest, capacity), noAmounts)
}

/** Each once. */
export function shapesAmong(offers: readonly Offer[]): readonly OfferShape[] {
  return [...new Set(offers.map(({ shape }) => shape))]
}
