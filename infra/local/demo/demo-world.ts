// A cluster and its hosts to try kpssh on: an API server with the few controllers that a demo needs, and machines that are
// directories. Nothing of it outlives the process.
import { writeFile, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { kubeconfigConnection } from '../../../lib/adapters/kubernetes/connection.ts'
import { buildProfile } from '../../../lib/cli/build-profile.ts'
import { makeKubernetes } from '../../../lib/adapters/kubernetes/kubernetes.ts'
import { makeSystemClock } from '../../../lib/adapters/node/clock.ts'
import type { Log } from '../../../lib/ambient/ports.ts'
import type { Kubernetes, Resource } from '../../../lib/kubernetes/ports.ts'
import {
  nodePools,
  secrets,
  sshHosts,
  sshJoinProfiles,
  sshNodeClasses,
} from '../../../lib/kubernetes/resources.ts'
import { startDemoControllers } from '../demo-cluster/start-demo-controllers.ts'
import { hostManifests } from '../demo-hosts/host-manifests.ts'
import { startDemoHosts, type DemoHosts } from '../demo-hosts/start-demo-hosts.ts'
import { startKubeApiServer, type KubeApiServer } from '../kube-api/kube-api-server.ts'
import { makeClosers } from '../stack/closers.ts'
import { useKubeconfigCluster } from '../stack/kubeconfig-cluster.ts'
import type { StackCluster } from '../stack/local-stack.ts'
import type { Terminal } from '../stack/terminal.ts'
import { nodeClassManifest, nodePoolManifest } from './manifests.ts'

export interface DemoWorldOptions {
  readonly name: string
  readonly namespace: string
  /** Where the kubeconfig goes. */
  readonly stateFolder: string
  readonly terminal: Terminal
  readonly log: Log
}

export interface DemoWorld {
  readonly cluster: StackCluster
  readonly kubernetes: Kubernetes
  readonly hosts: DemoHosts
  /** The pool: hosts, a profile, a node class and a NodePool. */
  addPool(): Promise<void>
  close(): Promise<void>
}

const machines = [
  { name: 'rack-a', cpu: 2, memory: '4Gi' },
  { name: 'rack-b', cpu: 2, memory: '4Gi' },
  { name: 'rack-c', cpu: 8, memory: '16Gi' },
] as const

export async function startDemoWorld(options: DemoWorldOptions): Promise<DemoWorld> {
  const closers = makeClosers((message) => options.terminal.say(message))
  try {
    const server = await startKubeApiServer()
    closers.add('API server', () => server.close())
    const controllers = startDemoControllers(server, {
      nodeGraceMs: 15_000,
      onError: (controller, cause) => options.log.error('demo.controller-failed', { controller, cause }),
    })
    closers.add('controllers', () => controllers.close())
    const hosts = await startDemoHosts({ hosts: machines })
    closers.add('demo hosts', () => hosts.close())
    const cluster = await introduce(server, options)
    const connection = kubeconfigConnection({ file: cluster.kubeconfig })
    closers.add('connection', async () => connection.close())
    const kubernetes = makeKubernetes(connection, { clock: makeSystemClock(), log: options.log })
    return {
      cluster,
      kubernetes,
      hosts,
      addPool: () => addPool(kubernetes, { hosts, server, namespace: options.namespace }),
      close: () => closers.closeAll(),
    }
  } catch (error) {
    await closers.closeAll()
    throw error
  }
}

/** The API server as the cluster of a kubeconfig, like any other one. */
async function introduce(server: KubeApiServer, options: DemoWorldOptions): Promise<StackCluster> {
  await mkdir(options.stateFolder, { recursive: true })
  const kubeconfig = join(options.stateFolder, 'demo-kubeconfig')
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 })
  const { terminal, name, namespace, log } = options
  const agreeing = { ...terminal, ask: async () => true }
  return useKubeconfigCluster({ kubeconfig, name, namespace, terminal: agreeing, log })
}

async function addPool(
  kubernetes: Kubernetes,
  {
    hosts,
    server,
    namespace,
  }: { readonly hosts: DemoHosts; readonly server: KubeApiServer; readonly namespace: string },
): Promise<void> {
  const classOf = (name: string) => (name === 'rack-c' ? 'large' : 'small')
  const [secret, ...inventory] = hostManifests(hosts, { namespace, classOf })
  const { manifest } = await buildProfile(resolve(import.meta.dirname, '../../../profiles/demo'))
  const create = async (resource: Resource<unknown>, object: object, inNamespace?: string) => {
    const outcome = await kubernetes.create(resource, object, inNamespace)
    if (outcome.kind === 'invalid') throw new Error(`Cannot set the demo up: ${outcome.message}`)
  }
  await create(secrets, secret ?? {}, namespace)
  await create(sshJoinProfiles, manifest)
  for (const sshHost of inventory) await create(sshHosts, sshHost, namespace)
  const caBundle = Buffer.from(server.caPem).toString('base64')
  await create(sshNodeClasses, nodeClassManifest({ endpoint: server.url, caBundle }))
  await create(nodePools, nodePoolManifest())
}
