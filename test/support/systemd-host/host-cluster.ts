// A cluster that a booted host can join over its network: an API server that listens where the host can reach it, and the
// controllers that sign certificates and watch over nodes.
import { setTimeout as sleep } from 'node:timers/promises'
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
  /** Waits for a Node to be there and ready; fails after half a minute. */
  becomesReady(name: string): Promise<void>
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
      const id = `tok${String(tokens).padStart(3, '0')}`
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
    async becomesReady(name) {
      const giveUpAtMs = Date.now() + 30_000
      while (!isReady(node(name))) {
        if (Date.now() > giveUpAtMs) throw new Error(`waited half a minute for Node ${name} to be ready`)
        await sleep(20)
      }
    },
    removeNode: (name) => void server.handle({ method: 'DELETE', url: `/api/v1/nodes/${name}` }),
    async close() {
      await controllers.close()
      await server.close()
    },
  }
}

function isReady(node: KubeObject | undefined): boolean {
  const conditions = listOf(valueAt(node, ['status', 'conditions'])).map(recordOf)
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}
