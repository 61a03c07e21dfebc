import { recordOf, textOf } from '../kube-api/json.ts'
import type { Controller } from './control-loop.ts'

const ttlAnnotation = 'node.alpha.kubernetes.io/ttl'

/** Gives every node a range of pod addresses, and the annotation that a controller manager adds. */
export const nodeAddresses: Controller = {
  name: 'node-ipam',
  watches: ['/nodes'],
  reconcile(cluster) {
    const nodes = cluster.list('/nodes')
    const used = new Set(nodes.map((node) => textOf(recordOf(node['spec'])['podCIDR'])))
    for (const node of nodes) {
      if (textOf(recordOf(node['spec'])['podCIDR']) !== '') continue
      const podCIDR = freeRange(used)
      used.add(podCIDR)
      cluster.patch('/nodes', node, {
        metadata: { annotations: { [ttlAnnotation]: '0' } },
        spec: { podCIDR, podCIDRs: [podCIDR] },
      })
    }
  },
}

function freeRange(used: ReadonlySet<string>): string {
  for (let number = 0; ; number += 1) {
    const range = `10.${String(244 + Math.floor(number / 256))}.${String(number % 256)}.0/24`
    if (!used.has(range)) return range
  }
}
