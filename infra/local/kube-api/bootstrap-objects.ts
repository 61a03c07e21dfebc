// What a fresh cluster already has.
import { stringify } from 'yaml'
import type { ApiContext } from './api-context.ts'
import { timestamp, type KubeObject } from './kube-object.ts'

export function addBootstrapObjects(
  context: ApiContext,
  server: { readonly url: string; readonly caPem: string },
): void {
  const creationTimestamp = timestamp(context.clock.nowMs())
  const object = (kind: string, name: string, fields: object, namespace?: string): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(kind === 'Namespace' && { labels: { 'kubernetes.io/metadata.name': name } }),
      uid: context.ids.next(),
      resourceVersion: '',
      creationTimestamp,
    },
    ...fields,
  })
  for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
    const fields = { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }
    context.store.put('/namespaces', object('Namespace', name, fields))
  }
  const data = { kubeconfig: clusterInfo(server) }
  context.store.put('/configmaps', object('ConfigMap', 'cluster-info', { data }, 'kube-public'))
}

/** A kubeconfig without credentials, as kubeadm publishes it for machines that want to join. */
function clusterInfo({ url, caPem }: { readonly url: string; readonly caPem: string }): string {
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') }
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: '', cluster }],
    contexts: null,
    users: null,
    'current-context': '',
  })
}
