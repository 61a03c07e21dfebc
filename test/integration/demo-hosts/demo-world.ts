// A cluster with demo hosts, and the phases of their profile run on them as the control plane runs them: the script behind an
// environment, on the standard input of a shell that SSH started.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  startDemoControllers,
  type DemoControllers,
} from '../../../infra/local/demo-cluster/start-demo-controllers.ts'
import { startDemoHosts, type DemoHosts } from '../../../infra/local/demo-hosts/start-demo-hosts.ts'
import { valueAt, type JsonRecord } from '../../../infra/local/kube-api/json.ts'
import { startKubeApiServer, type KubeApiServer } from '../../../infra/local/kube-api/kube-api-server.ts'
import { eventually } from '../../support/eventually.ts'
import { sshRun, type SshResult } from './ssh-client.ts'

export const profileDirectory = fileURLToPath(new URL('../../../profiles/demo', import.meta.url))

export interface DemoWorld {
  readonly server: KubeApiServer
  readonly hosts: DemoHosts
  /** A fresh bootstrap token, its Secret in place. */
  mintToken(): string
  run(host: string, phase: string, environment?: Readonly<Record<string, string>>): Promise<SshResult>
  /** Joins the host as a node of that name. */
  join(host: string, nodeName: string): Promise<SshResult>
  node(name: string): JsonRecord | undefined
  isReady(name: string): boolean
  becomesReady(name: string): Promise<void>
  close(): Promise<void>
}

export async function startDemoWorld(hostNames: readonly string[]): Promise<DemoWorld> {
  const server = await startKubeApiServer()
  const controllers: DemoControllers = startDemoControllers(server)
  const hosts = await startDemoHosts({
    hosts: hostNames.map((name) => ({ name, cpu: 2, memory: '4Gi', heartbeatMs: 200 })),
  })
  let tokens = 0
  const mintToken = (): string => {
    const id = `token${(tokens += 1)}`
    const stringData = {
      'token-id': id,
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:kpssh',
    }
    const secret = {
      metadata: { name: `bootstrap-token-${id}` },
      type: 'bootstrap.kubernetes.io/token',
      stringData,
    }
    server.handle({
      method: 'POST',
      url: '/api/v1/namespaces/kube-system/secrets',
      body: JSON.stringify(secret),
    })
    return `${id}.0123456789abcdef`
  }
  const run: DemoWorld['run'] = async (host, phase, environment = {}) => {
    const script = await readFile(`${profileDirectory}/${phase}.sh`, 'utf8')
    const exports = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'\n`)
    return sshRun(hosts, hosts.host(host), { command: 'sudo -n bash -s', input: exports.join('') + script })
  }
  const node = (name: string): JsonRecord | undefined => server.store.get('/nodes', '', name)
  const isReady = (name: string): boolean =>
    JSON.stringify(valueAt(node(name), ['status', 'conditions']) ?? []).includes(
      '"status":"True","reason":"KubeletReady"',
    )

  return {
    server,
    hosts,
    mintToken,
    run,
    node,
    isReady,
    join: (host, nodeName) =>
      run(host, 'join', {
        KPSSH_CLUSTER_ENDPOINT: server.url,
        KPSSH_CLUSTER_CA_B64: Buffer.from(server.caPem).toString('base64'),
        KPSSH_BOOTSTRAP_TOKEN: mintToken(),
        KPSSH_NODE_NAME: nodeName,
        KPSSH_PROVIDER_ID: `kpssh://pool/${host}`,
        KPSSH_NODE_LABELS: 'example.com/a=b,node.kubernetes.io/c=d',
        KPSSH_TAINTS: 'karpenter.sh/unregistered:NoExecute',
        KPSSH_HOST_ADDRESS: '127.0.0.1',
        KPSSH_NODE_ADDRESS: hosts.host(host).nodeAddress,
      }),
    async becomesReady(name) {
      await eventually(() => isReady(name), `Node ${name} to be ready`)
    },
    async close() {
      await hosts.close()
      await controllers.close()
      await server.close()
    },
  }
}

export function assertDone({ exitCode, stdout, stderr }: SshResult): void {
  assert.equal(exitCode, 0, `${stdout}\n${stderr}`)
}
