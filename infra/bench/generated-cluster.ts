// A cluster that exists only as the answers of an API server: as many pods and nodes as one asks for, as large as real ones
// are, with the noise that a real cluster makes (renewed Leases, pods that change and come back).
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeAuthority } from '../local/kube-api/certificates.ts'
import { kubeconfigYaml } from '../local/kube-api/kubeconfig.ts'
import { lease, type Make, metadata, node, podMaker } from './generated-objects.ts'

export interface GeneratedCluster {
  readonly kubeconfig: string
  /** Also answers SQS SendMessage, here. */
  readonly url: string
  readonly caPem: string
  /** Sizes of the messages received so far. */
  readonly messageBytes: readonly number[]
  close(): void
}

export interface ClusterSize {
  readonly pods: number
  readonly nodes: number
}

export async function startGeneratedCluster(size: ClusterSize): Promise<GeneratedCluster> {
  const nowMs = Date.now()
  const authority = await makeAuthority(nowMs)
  const { certPem: cert, keyPem: key } = await authority.serve(['127.0.0.1'], nowMs)
  const makePod = podMaker(size.nodes)
  const lists: Readonly<Record<string, readonly [count: number, make: Make, perSecond: number]>> = {
    '/api/v1/pods': [size.pods, makePod, 50],
    '/api/v1/nodes': [size.nodes, node, size.nodes / 300],
    '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases': [size.nodes, lease, size.nodes / 10],
  }
  const messageBytes: number[] = []
  const timers = new Set<NodeJS.Timeout>()
  const server = createServer({ cert, key }, (request, response) => {
    const url = new URL(request.url ?? '', 'https://x')
    const [count, make, perSecond] = lists[url.pathname] ?? [0, node, 0]
    if (request.method === 'POST') {
      void receive(request, response, messageBytes)
    } else if (url.pathname === '/api/v1/namespaces/kube-system') {
      sendJson(response, { metadata: metadata({ name: 'kube-system', index: 0, version: 0 }) })
    } else if (url.searchParams.get('watch') === null) {
      sendJson(response, pageOf(url.searchParams, count, make))
    } else {
      watch(response, { count, make, perSecond, timers })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    kubeconfig: kubeconfigYaml({ url, caPem: authority.caPem, token: 'x' }),
    url,
    caPem: authority.caPem,
    messageBytes,
    close() {
      timers.forEach((timer) => clearInterval(timer))
      server.close()
      server.closeAllConnections()
    },
  }
}

function pageOf(query: URLSearchParams, count: number, make: Make): object {
  const from = Number(query.get('continue') ?? 0)
  const to = Math.min(count, from + Number(query.get('limit') ?? count))
  return {
    kind: 'List',
    metadata: { resourceVersion: '1', continue: to < count ? String(to) : '' },
    items: Array.from({ length: to - from }, (_, item) => make(from + item, 0)),
  }
}

interface Watching {
  readonly count: number
  readonly make: Make
  readonly perSecond: number
  readonly timers: Set<NodeJS.Timeout>
}

function watch(response: ServerResponse, { count, make, perSecond, timers }: Watching): void {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
  let version = 1
  let owed = 0
  const timer = setInterval(() => {
    for (owed += perSecond / 10; owed >= 1; owed -= 1) {
      version += 1
      response.write(
        `${JSON.stringify({ type: 'MODIFIED', object: make((version * 31) % count, version) })}\n`,
      )
    }
  }, 100)
  timers.add(timer)
  response.once('close', () => {
    clearInterval(timer)
    timers.delete(timer)
  })
}

/** SQS, as far as SendMessage needs it. */
async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  messageBytes: number[],
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const { MessageBody = '' } = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly MessageBody?: string
  }
  messageBytes.push(Buffer.byteLength(MessageBody))
  sendJson(response, {
    MessageId: String(messageBytes.length),
    MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
  })
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
