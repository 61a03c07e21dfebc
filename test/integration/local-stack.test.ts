// The local stack as npm start brings it up: emulators, functions under serverless offline, the watcher; the cluster is the
// in-process API server. What hosts do in it is the demo's affair.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { writeFile, mkdir } from 'node:fs/promises'
import { startKubeApiServer, type KubeApiServer } from '../../infra/local/kube-api/kube-api-server.ts'
import { useKubeconfigCluster } from '../../infra/local/stack/kubeconfig-cluster.ts'
import { startLocalStack, type LocalStack, type StackCluster } from '../../infra/local/stack/local-stack.ts'
import { makeDynamoClusters } from '../../lib/adapters/dynamodb/clusters.ts'
import { makeDynamoClient } from '../../lib/adapters/dynamodb/make-dynamo-client.ts'
import { makeSqsClient } from '../../lib/adapters/sqs/make-sqs-client.ts'
import type { ClusterItem } from '../../lib/hosts/ports.ts'
import { fakeIds } from '../support/fakes/ids.ts'
import { fakeLog } from '../support/fakes/log.ts'

const project = resolve(import.meta.dirname, '../..')
const terminal = { say: () => undefined, ask: () => Promise.resolve(true) }

describe('startLocalStack', () => {
  let folder: string
  let server: KubeApiServer
  let cluster: StackCluster
  let stack: LocalStack
  let sqs: SQSClient

  before(async () => {
    await mkdir(join(project, '.kpssh'), { recursive: true })
    folder = await mkdtemp(join(project, '.kpssh/test-'))
    server = await startKubeApiServer()
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, server.kubeconfig)
    cluster = await useKubeconfigCluster({
      kubeconfig,
      name: 'lab',
      namespace: 'kpssh-system',
      terminal,
      log: fakeLog(),
    })
    stack = await start()
    sqs = makeSqsClient({ endpoint: stack.local.queueEndpoint, region: stack.local.region })
  })
  after(async () => {
    sqs.destroy()
    await stack.stop()
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  function start(): Promise<LocalStack> {
    return startLocalStack({
      cluster,
      terminal,
      stateFolder: relative(project, folder),
      heartbeatSeconds: 1,
      onUnexpectedEnd: (what) => assert.fail(what),
    })
  }

  async function heartbeat(): Promise<ClusterItem | undefined> {
    const { endpoint, region, tableName } = stack.local
    const client = makeDynamoClient({ endpoint, region })
    try {
      return await makeDynamoClusters({ client, tableName, ids: fakeIds() }).get('lab')
    } finally {
      client.destroy()
    }
  }

  async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const endAtMs = Date.now() + 20_000
    while (Date.now() < endAtMs) {
      const found = await look()
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    assert.fail(`not seen within 20 s: ${what}`)
  }

  it('tells kpssh where it is', async () => {
    const written: unknown = JSON.parse(await readFile(join(folder, 'local.json'), 'utf8'))
    assert.deepEqual(written, stack.local)
    assert.deepEqual(
      [stack.local.cluster, stack.local.pool, stack.local.namespace],
      ['lab', 'lab', 'kpssh-system'],
    )
  })

  it('hears the cluster through the watcher, the queue, reconcile and the table', async () => {
    const item = await until('a heartbeat in the table', async () =>
      (await heartbeat())?.clusterUid ? heartbeat() : undefined,
    )
    assert.equal(item?.clusterUid, cluster.uid)
  })

  it('takes an observation that does not parse to the dead-letter queue, with its evidence, and goes on', async () => {
    const { events } = stack.local.queues
    const body = '{"type":"ClusterObserved","cluster":"lab","snapshot":'
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: events,
        MessageBody: body,
        MessageGroupId: 'lab',
        MessageDeduplicationId: 'bad',
      }),
    )
    const dead = new ReceiveMessageCommand({
      QueueUrl: events.replace('events.fifo', 'events-dead.fifo'),
      MessageAttributeNames: ['All'],
      WaitTimeSeconds: 1,
    })
    const letter = await until('a dead letter', async () => (await sqs.send(dead)).Messages?.[0])
    assert.equal(letter.Body, body)
    assert.match(letter.MessageAttributes?.['reason']?.StringValue ?? '', /JSON/)
    const before = (await heartbeat())?.observedAtMs ?? 0
    await until('a later heartbeat', async () =>
      ((await heartbeat())?.observedAtMs ?? 0) > before ? true : undefined,
    )
  })

  it('keeps a request that does not parse in its queue, where redrive takes care of it', async () => {
    const QueueUrl = stack.local.queues.join
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'not json' }))
    const attributes = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })
    const inFlight = async (): Promise<true | undefined> => {
      const log = await readFile(join(folder, 'functions.log'), 'utf8')
      return log.includes('"record.refused"') && log.includes('"service":"join"') ? true : undefined
    }
    await until('the refusal in the log', inFlight)
    const { Attributes } = await sqs.send(attributes)
    assert.equal(Attributes?.['ApproximateNumberOfMessagesNotVisible'], '1')
  })

  it('keeps its table for the next start on the same cluster, and leaves nothing running', async () => {
    const before = await heartbeat()
    await stack.stop()
    await assert.rejects(readFile(join(folder, 'local.json')), { code: 'ENOENT' })
    await assert.rejects(fetch(stack.local.endpoint))
    stack = await start()
    sqs.destroy()
    sqs = makeSqsClient({ endpoint: stack.local.queueEndpoint, region: stack.local.region })
    assert.equal((await heartbeat())?.installationID, before?.installationID)
  })
})
