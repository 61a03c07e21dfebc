import { addAmounts, amountsOf, type Amounts } from '../api/amounts.ts'
import type { PodShape } from '../messages/cluster-observed.ts'
import { noLoad, type Load } from './existing.ts'

/** What runs on each node, by its name. Pods that ended need nothing any more; pods that are ending still do. */
export function loadsOf(shapes: readonly PodShape[]): ReadonlyMap<string, Load> {
  const loads = new Map<string, Load>()
  for (const shape of shapes.filter(({ isTerminal }) => !isTerminal)) {
    const requests = amountsOf(shape.needs.requests)
    for (const [nodeName, count] of Object.entries(shape.nodes)) {
      loads.set(nodeName, withShape(loads.get(nodeName) ?? noLoad, shape, times(requests, count)))
    }
  }
  return loads
}

function withShape(load: Load, { ownerKind, needs }: PodShape, requests: Amounts): Load {
  const isDaemon = ownerKind === 'DaemonSet'
  return {
    requests: addAmounts(load.requests, requests),
    daemonRequests: isDaemon ? addAmounts(load.daemonRequests, requests) : load.daemonRequests,
    hostPorts: [...load.hostPorts, ...needs.hostPorts],
  }
}

function times(amounts: Amounts, count: number): Amounts {
  return new Map([...amounts].map(([name, amount]) => [name, amount * BigInt(count)]))
}
