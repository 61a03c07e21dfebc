import { amountsOf, type Amounts } from '../api/amounts.ts'
import type { HostPort } from '../api/pod.ts'
import type { PendingPod } from '../messages/cluster-observed.ts'
import { waysOf, type Way, type WayOptions } from './ways.ts'

/** A pending pod as packing sees it. */
export interface Demand {
  readonly pod: PendingPod
  readonly requests: Amounts
  readonly hostPorts: readonly HostPort[]
  /** At least one. */
  readonly ways: readonly Way[]
}

/** Throws SpecError for affinity that nobody can read. */
export function demandOf(pod: PendingPod, options: WayOptions): Demand {
  const { requests, hostPorts } = pod.needs
  return { pod, requests: amountsOf(requests), hostPorts, ways: waysOf(pod.needs, options) }
}

/** Large ones first, so that small ones fill the gaps; then the oldest, then by uid. */
export function compareDemands(a: Demand, b: Demand): number {
  return (
    compareAmount(b, a, 'cpu') ||
    compareAmount(b, a, 'memory') ||
    a.pod.createdAtMs - b.pod.createdAtMs ||
    (a.pod.uid < b.pod.uid ? -1 : 1)
  )
}

function compareAmount(a: Demand, b: Demand, name: string): number {
  const [one, other] = [a.requests.get(name) ?? 0n, b.requests.get(name) ?? 0n]
  return one < other ? -1 : one > other ? 1 : 0
}
