import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { buildWatcher } from '../../infra/watcher/build.ts'
import { nodeFlags } from '../../infra/watcher/process-settings.ts'
import { nodes } from '../../lib/kubernetes/resources.ts'
import { decodeBody } from '../../lib/messages/message-body.ts'
import { atEnd } from '../support/at-end.ts'
import { eventually } from '../support/eventually.ts'
import { anApiServer } from '../support/kube-api.ts'
import { startTestQueues } from '../support/queues.ts'

async function aFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

describe('the watcher as its image runs it', () => {
  it('tells of its cluster over SQS, says that it is well, and ends when it is told to', async (test) => {
    const { api, kubernetes } = await anApiServer(test)
    await kubernetes.create(nodes, { metadata: { name: 'n1' } })
    const queues = await startTestQueues()
    atEnd(test, () => queues.stop())
    const folder = await mkdtemp(join(tmpdir(), 'kpssh-test-'))
    await writeFile(join(folder, 'kubeconfig'), api.kubeconfig)
    const port = await aFreePort()
    const bundle = await buildWatcher(join(folder, 'main.cjs'))
    const watcher = spawn(process.execPath, [...nodeFlags, bundle], {
      env: {
        KPSSH_CLUSTER: 'lab',
        KPSSH_EVENTS_QUEUE: queues.queueUrls.events,
        KPSSH_SQS_ENDPOINT: queues.endpoint,
        KPSSH_HEALTH_PORT: String(port),
        AWS_REGION: 'us-east-1',
        KUBECONFIG: join(folder, 'kubeconfig'),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    atEnd(test, () => void watcher.kill('SIGKILL'))
    const [message] = await eventually(async () => {
      const taken = await queues.take(queues.queueUrls.events)
      return taken.length > 0 ? taken : undefined
    }, 'the first message')
    const decoded = decodeBody(message?.Body ?? '')
    assert.ok(decoded.kind === 'message' && decoded.message.type === 'ClusterObserved')
    assert.deepEqual(
      [
        decoded.message.cluster,
        decoded.message.reason,
        decoded.message.snapshot.nodes.map(({ metadata }) => metadata.name),
      ],
      ['lab', 'Started', ['n1']],
    )
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200)
    const exited = once(watcher, 'exit')
    watcher.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
  })

  it('names everything that is missing and does not start', async () => {
    const watcher = spawn(process.execPath, [join(import.meta.dirname, '../../lib/watcher/main.ts')], {
      env: { KPSSH_CLUSTER: 'lab' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    watcher.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const [code] = (await once(watcher, 'exit')) as [number]
    assert.equal(code, 78)
    for (const name of ['KPSSH_EVENTS_QUEUE', 'AWS_REGION', 'KPSSH_HEALTH_PORT'])
      assert.ok(said.includes(name), said)
  })
})
