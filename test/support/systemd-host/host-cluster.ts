// A cluster that a booted host can join over its network: an API server that listens where the host can reach it, and the
// controllers that sign certificates and watch over nodes.
import { startDemoControllers } from '../../../infra/local/demo-cluster/start-demo-controllers.ts'
import { listOf, recordOf, valueAt } from '../../../infra/local/kube-api/json.ts'
import { startKubeApiServer } from '../../../infra/local/kube-api/kube-api-server.ts'
import type { KubeObject } from '../../../infra/local/kube-api/kube-object.ts'

export interface HostCluster {
  /** https://ADDRESS:PORT. */
  readonly url: string
  readonly caPem: string
  /** A bootstrap token whose Secret is there. */
  mintToken(): string
  /** From now on it is good for nothing. */
  revokeToken(token: string): void
  node(name: string): KubeObject | undefined
  nodes(): readonly string[]
  isReady(name: string): boolean
  removeNode(name: string): void
  close(): Promise<void>
}

/** `address` is this machine's, as the host sees it. */
export async function startHostCluster(address: string): Promise<HostCluster> {
  const server = await startKubeApiServer({ host: address })
  const controllers = startDemoControllers(server)
  const secrets = '/api/v1/namespaces/kube-system/secrets'
  let tokens = 0
  const node: HostCluster['node'] = (name) => server.store.get('/nodes', '', name)
  return {
    url: server.url,
    caPem: server.caPem,
    mintToken() {
      tokens += 1
      const id = `token${String(tokens)}`
      const secret = {
        metadata: { name: `bootstrap-token-${id}` },
        type: 'bootstrap.kubernetes.io/token',
        stringData: {
          'token-id': id,
          'token-secret': '0123456789abcdef',
          'usage-bootstrap-authentication': 'true',
          'auth-extra-groups': 'system:bootstrappers:kpssh',
        },
      }
      server.handle({ method: 'POST', url: secrets, body: JSON.stringify(secret) })
      return `${id}.0123456789abcdef`
    },
    revokeToken(token) {
      server.handle({ method: 'DELETE', url: `${secrets}/bootstrap-token-${token.slice(0, 6)}` })
    },
    node,
    nodes: () => server.store.list('/nodes').map(({ metadata }) => metadata.name),
    isReady: (name) =>
      listOf(valueAt(node(name), ['status', 'conditions']))
        .map(recordOf)
        .some(({ type, status }) => type === 'Ready' && status === 'True'),
    removeNode: (name) => void server.handle({ method: 'DELETE', url: `/api/v1/nodes/${name}` }),
    async close() {
      await controllers.close()
      await server.close()
    },
  }
}
