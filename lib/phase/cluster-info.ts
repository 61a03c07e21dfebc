// Where a joining host finds the API server, and whose certificate it must trust.
import { parse } from 'yaml'
import { z } from 'zod'
import type { ConfigMap } from '../api/config-map.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { SpecError } from '../errors/spec-error.ts'

export interface ClusterInfo {
  readonly endpoint: string
  /** base64 of the PEM bundle; empty for none. */
  readonly caBundle: string
}

export const clusterInfoConfigMap = { name: 'cluster-info', namespace: 'kube-public' } as const
const where = `ConfigMap "${clusterInfoConfigMap.namespace}/${clusterInfoConfigMap.name}"`

const Kubeconfig = z.object({
  clusters: z
    .array(
      z.object({
        name: z.string(),
        cluster: z.object({
          server: z.string().min(1),
          'certificate-authority-data': z.string().optional(),
        }),
      }),
    )
    .min(1),
})

/** True if the node class says all there is to know; its missing CA is not filled in from the cluster. */
export function saysCluster(nodeClass: SSHNodeClass): boolean {
  return nodeClass.spec.cluster !== undefined
}

/** `spec.cluster` wins completely; else the kubeconfig that kubeadm publishes, its first cluster by name. Throws SpecError. */
export function clusterInfoOf(nodeClass: SSHNodeClass, published: ConfigMap | undefined): ClusterInfo {
  const { cluster } = nodeClass.spec
  if (cluster !== undefined) return { endpoint: cluster.endpoint, caBundle: cluster.caBundle ?? '' }
  const [first] = [...publishedClusters(nodeClass, published)].sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    endpoint: first?.cluster.server ?? '',
    caBundle: first?.cluster['certificate-authority-data'] ?? '',
  }
}

function publishedClusters(
  nodeClass: SSHNodeClass,
  published: ConfigMap | undefined,
): z.infer<typeof Kubeconfig>['clusters'] {
  if (published === undefined) throw unknown(nodeClass, 'it does not exist')
  const text = published.data?.kubeconfig
  if (text === undefined) throw unknown(nodeClass, 'it has no key kubeconfig')
  const parsed = Kubeconfig.safeParse(parseYaml(text))
  if (!parsed.success) throw unknown(nodeClass, 'its kubeconfig is not one with a cluster and a server')
  return parsed.data.clusters
}

function parseYaml(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

function unknown(nodeClass: SSHNodeClass, state: string): SpecError {
  return new SpecError(
    `Cannot find the API server for SSHNodeClass "${nodeClass.metadata.name}" in ${where}: ${state}, set nodeClass.spec.cluster or publish it as kubeadm does`,
    { reason: 'ClusterInfoNotFound' },
  )
}
