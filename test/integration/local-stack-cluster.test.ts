// What npm start does to a cluster before it drives it: against the in-process API server.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { startKubeApiServer, type KubeApiServer } from '../../infra/local/kube-api/kube-api-server.ts'
import { useKubeconfigCluster } from '../../infra/local/stack/kubeconfig-cluster.ts'
import type { StackCluster } from '../../infra/local/stack/local-stack.ts'
import type { Terminal } from '../../infra/local/stack/terminal.ts'
import { kubeconfigConnection, type KubeConnection } from '../../lib/adapters/kubernetes/connection.ts'
import { makeKubernetes } from '../../lib/adapters/kubernetes/kubernetes.ts'
import { makeSystemClock } from '../../lib/adapters/node/clock.ts'
import type { Kubernetes, Resource } from '../../lib/kubernetes/ports.ts'
import { customResourceDefinitions, namespaces } from '../../lib/kubernetes/resources.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { z } from 'zod'

const ours = ['sshhosts', 'sshjoinprofiles', 'sshnodeclasses'].map(
  (plural) => `${plural}.karpenter.dklesev.github.io`,
)
const karpenter = ['nodeclaims.karpenter.sh', 'nodepools.karpenter.sh']
const deployments: Resource<unknown> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  isNamespaced: true,
  schema: z.unknown(),
}

describe('useKubeconfigCluster', () => {
  let folder: string
  let server: KubeApiServer
  let connection: KubeConnection
  let kubernetes: Kubernetes
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kpssh-cluster-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))
  beforeEach(async () => {
    server = await startKubeApiServer()
    await writeFile(join(folder, 'config'), server.kubeconfig)
    connection = kubeconfigConnection({ file: join(folder, 'config') })
    kubernetes = makeKubernetes(connection, { clock: makeSystemClock(), log: fakeLog() })
  })
  afterEach(async () => {
    connection.close()
    await server.close()
  })

  function use(
    agrees: boolean,
    kubeconfig = join(folder, 'config'),
  ): { cluster: Promise<StackCluster>; said: string[]; asked: string[] } {
    const said: string[] = []
    const asked: string[] = []
    const terminal: Terminal = {
      say: (line) => void said.push(line),
      ask: (question) => {
        asked.push(question)
        return Promise.resolve(agrees)
      },
    }
    const cluster = useKubeconfigCluster({
      kubeconfig,
      name: 'lab',
      namespace: 'kpssh-system',
      terminal,
      log: fakeLog(),
    })
    return { cluster, said, asked }
  }

  async function definitions(): Promise<readonly string[]> {
    return (await kubernetes.list(customResourceDefinitions)).map(({ metadata }) => metadata.name).toSorted()
  }

  it('says which cluster does not answer, and promises no other try', async () => {
    await server.close()
    await assert.rejects(use(true).cluster, {
      message: `Cannot use context "kpssh-local" of ${join(folder, 'config')}, at ${server.url}: it cannot be reached (ECONNREFUSED), start it or name another cluster with KUBECONFIG`,
    })
  })

  it('says which cluster it is, asks once, and then writes what is missing', async () => {
    const { cluster, said, asked } = use(true)
    const { uid, context } = await cluster
    assert.equal(uid, (await kubernetes.get(namespaces, 'kube-system'))?.metadata.uid)
    assert.ok(context)
    assert.match(said[0] ?? '', new RegExp(`${server.url}, uid ${uid}$`))
    assert.equal(asked.length, 1)
    assert.deepEqual(await definitions(), [...karpenter, ...ours].toSorted())
    assert.ok(await kubernetes.get(namespaces, 'kpssh-system'))
  })

  it('writes nothing without consent', async () => {
    await assert.rejects(use(false).cluster, /agree to it or run npm start -- --yes/)
    assert.deepEqual(await definitions(), [])
    assert.equal(await kubernetes.get(namespaces, 'kpssh-system'), undefined)
  })

  it('asks nothing when all is there', async () => {
    await use(true).cluster
    const { cluster, asked } = use(false)
    await cluster
    assert.deepEqual(asked, [])
  })

  it("leaves Karpenter's own definitions as they are, and brings ours up to date", async () => {
    await use(true).cluster
    const before = await kubernetes.get(customResourceDefinitions, karpenter[0] ?? '')
    const shortNames = { spec: { names: { shortNames: ['nobody'] } } }
    await kubernetes.patch(customResourceDefinitions, karpenter[1] ?? '', shortNames)
    await kubernetes.patch(customResourceDefinitions, ours[0] ?? '', shortNames)
    const { cluster, said } = use(true)
    await cluster
    assert.deepEqual(said.slice(1), [`  update CustomResourceDefinition ${ours[0]}`])
    const after = await kubernetes.get(customResourceDefinitions, karpenter[0] ?? '')
    assert.equal(after?.metadata.resourceVersion, before?.metadata.resourceVersion)
  })

  it('refuses beside the Go provider and says how to remove it', async () => {
    await kubernetes.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ssh' } })
    const labels = { app: 'x' }
    const container = { name: 'controller', image: 'registry.example/karpenter-provider-ssh:v1.1.1' }
    const created = await kubernetes.create(
      deployments,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'provider', namespace: 'ssh' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container] } },
        },
      },
      'ssh',
    )
    assert.equal(created.kind, 'created')
    await assert.rejects(
      use(true).cluster,
      /beside "ssh\/provider".+kubectl -n ssh scale deployment provider --replicas=0/,
    )
    assert.deepEqual(await definitions(), [])
    await kubernetes.patch(deployments, 'provider', { spec: { replicas: 0 } }, { namespace: 'ssh' })
    await use(true).cluster
  })

  it('names a kubeconfig that it cannot use', async () => {
    await assert.rejects(use(true, '/nowhere/config').cluster, /"\/nowhere\/config"/)
    await assert.rejects(use(true, '/a:/b').cluster, /names 2 files, name one/)
  })
})
