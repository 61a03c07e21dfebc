// Finds the Go provider that serves the same API group: two controllers would drive the same objects and hosts.
import { z } from 'zod'
import type { KubernetesReader, Resource } from '../../../lib/kubernetes/ports.ts'

const Container = z.object({ image: z.string().default('') })
const Deployment = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.object({
    replicas: z.number().default(1),
    template: z.object({ spec: z.object({ containers: z.array(Container).default([]) }) }),
  }),
})
type Deployment = z.infer<typeof Deployment>

const deployments: Resource<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  isNamespaced: true,
  schema: Deployment,
}

const providerName = 'karpenter-provider-ssh'

/** `<namespace>/<name>` of its Deployment, unless that is scaled to nothing. */
export async function findReferenceController(
  kubernetes: Pick<KubernetesReader, 'list'>,
): Promise<string | undefined> {
  const all = await kubernetes.list(deployments)
  const found = all.find((deployment) => deployment.spec.replicas > 0 && isProvider(deployment))
  return found === undefined ? undefined : `${found.metadata.namespace}/${found.metadata.name}`
}

function isProvider({ metadata, spec }: Deployment): boolean {
  return (
    metadata.labels['app.kubernetes.io/name'] === providerName ||
    spec.template.spec.containers.some(({ image }) => image.split(/[/:@]/).includes(providerName))
  )
}

export function referenceControllerRefusal(found: string): string {
  const [namespace, name] = found.split('/')
  return (
    `Cannot start beside "${found}": it drives the same SSHHosts, NodeClaims and machines, only one of us may. ` +
    `Take its hosts out first (delete its NodeClaims and wait), then remove it: kubectl -n ${namespace} scale deployment ${name} --replicas=0`
  )
}
