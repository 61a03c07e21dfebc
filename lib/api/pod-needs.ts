// What a pod asks of a node, computed as kube-scheduler does.
import { addAmounts, amountsOf, formatAmounts, largerAmounts, noAmounts, type Amounts } from './amounts.ts'
import type { Container, HostPort, PodNeeds, PodSpec } from './pod.ts'

const onePod: Amounts = amountsOf({ pods: '1' })

/** Also takes the template of a DaemonSet: only `spec` is read. */
export function podNeedsOf({ spec }: { readonly spec: PodSpec }): PodNeeds {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {}
  return {
    requests: formatAmounts(podRequests(spec)),
    nodeSelector: spec.nodeSelector ?? {},
    tolerations: spec.tolerations ?? [],
    hostPorts: hostPortsOf(spec),
    topologySpreadConstraints: spec.topologySpreadConstraints ?? [],
    ...(nodeAffinity ? { nodeAffinity } : {}),
    ...(podAffinity ? { podAffinity } : {}),
    ...(podAntiAffinity ? { podAntiAffinity } : {}),
  }
}

/**
 * While init containers run one after the other, each beside the sidecars started before it, the pod needs the largest of
 * them; afterwards the sum of containers and sidecars. Pod-level requests take the place of that; overhead comes on top.
 */
export function podRequests(spec: PodSpec): Amounts {
  let [running, largestInit, sidecars] = [
    addAmounts(...spec.containers.map(requestsOf)),
    noAmounts,
    noAmounts,
  ]
  for (const container of spec.initContainers ?? []) {
    const requests = requestsOf(container)
    if (container.restartPolicy === 'Always') {
      running = addAmounts(running, requests)
      sidecars = addAmounts(sidecars, requests)
      largestInit = largerAmounts(largestInit, sidecars)
    } else {
      largestInit = largerAmounts(largestInit, addAmounts(sidecars, requests))
    }
  }
  const containers = largerAmounts(running, largestInit)
  const stated = new Map([...containers, ...requestsOf(spec)])
  return addAmounts(stated, amountsOf(spec.overhead), onePod)
}

/** A limit stands for a request that is not there. */
function requestsOf({ resources }: Pick<Container, 'resources'>): Amounts {
  return amountsOf({ ...resources?.limits, ...resources?.requests })
}

function hostPortsOf(spec: PodSpec): HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP = '', protocol = 'TCP' }) =>
      hostPort ? [{ hostIP, port: hostPort, protocol }] : [],
    ),
  )
}
