// What a fresh cluster already has.
import { stringify } from 'yaml'
import type { KubeApi } from './kube-api.ts'

export const systemNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

export function addNamespaces(
  api: Pick<KubeApi, 'handle'>,
  names: readonly string[] = systemNamespaces,
): void {
  for (const name of names) {
    api.handle({ method: 'POST', url: '/api/v1/namespaces', body: JSON.stringify({ metadata: { name } }) })
  }
}

export function addBootstrapObjects(
  api: Pick<KubeApi, 'handle'>,
  server: { readonly url: string; readonly caPem: string },
): void {
  addNamespaces(api)
  const clusterInfo = { metadata: { name: 'cluster-info' }, data: { kubeconfig: publicKubeconfig(server) } }
  const body = JSON.stringify(clusterInfo)
  api.handle({ method: 'POST', url: '/api/v1/namespaces/kube-public/configmaps', body })
}

/** A kubeconfig without credentials, as kubeadm publishes it for machines that want to join. */
function publicKubeconfig({ url, caPem }: { readonly url: string; readonly caPem: string }): string {
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
