import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { kubeconfigConnection } from '../../lib/adapters/kubernetes/connection.ts'
import { makeResourceFeed } from '../../lib/adapters/kubernetes/resource-feed.ts'
import { makeSystemClock } from '../../lib/adapters/node/clock.ts'
import { nodes } from '../../lib/kubernetes/resources.ts'
import type { WatchEvent } from '../../lib/kubernetes/watch-ports.ts'
import type { Node } from '../../lib/api/node.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { anHttpServer, plainKubeconfig } from '../support/http-server.ts'
import { aClient } from '../support/kube-api.ts'
import { atEnd } from '../support/at-end.ts'

const timeouts = { connectMs: 300, totalMs: 600 }

function item(name: string): object {
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function clientOf(
  test: Parameters<typeof anHttpServer>[0],
  answer: Parameters<typeof anHttpServer>[1],
) {
  const { kubeconfig } = await anHttpServer(test, answer)
  return aClient(test, kubeconfigConnection({ text: () => Promise.resolve(kubeconfig) }), { timeouts })
}

describe('requests with budgets', () => {
  it('ends a request that is not answered in time', async (test) => {
    const { kubernetes } = await clientOf(test, () => undefined)
    await assert.rejects(kubernetes.get(nodes, 'n1'), {
      name: 'TransientError',
      reason: 'Timeout',
      message: 'Cannot get Node "n1": the API server cannot be reached (Timeout), it is tried again later',
    })
  })

  it('ends an answer that does not end in time', async (test) => {
    const { kubernetes } = await clientOf(test, (_request, response) =>
      response.writeHead(200).write('{"metadata":'),
    )
    await assert.rejects(kubernetes.get(nodes, 'n1'), { reason: 'Timeout' })
    await assert.rejects(kubernetes.list(nodes), { name: 'TransientError' })
  })

  it('ends a connection whose TLS handshake is not answered', async (test) => {
    const deaf = createServer()
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve))
    atEnd(test, () => void deaf.close())
    const text = plainKubeconfig(`https://127.0.0.1:${(deaf.address() as AddressInfo).port}`, {})
    const { kubernetes } = aClient(test, kubeconfigConnection({ text: () => Promise.resolve(text) }), {
      timeouts,
    })
    await assert.rejects(kubernetes.get(nodes, 'n1'), { name: 'TransientError', reason: 'ConnectTimeout' })
  })

  it('names the reason why a server cannot be reached', async (test) => {
    const text = plainKubeconfig('http://127.0.0.1:1', {})
    const { kubernetes } = aClient(test, kubeconfigConnection({ text: () => Promise.resolve(text) }), {
      timeouts,
    })
    await assert.rejects(kubernetes.get(nodes, 'n1'), {
      reason: 'NetworkError',
      details: { code: 'ECONNREFUSED' },
    })
  })

  it('does not wait for a server that asks for more patience than there is', async (test) => {
    let requests = 0
    const { kubernetes } = await clientOf(test, (_request, response) => {
      requests += 1
      response.setHeader('retry-after', '3600')
      json(response, 429, { kind: 'Status', reason: 'TooManyRequests' })
    })
    await assert.rejects(kubernetes.get(nodes, 'n1'), {
      name: 'TransientError',
      reason: 'Throttled',
      retryAfterMs: 3_600_000,
    })
    assert.equal(requests, 1)
  })

  it('never takes an answer that is no list for an empty list', async (test) => {
    for (const body of [{}, { items: [] }, { metadata: {}, items: {} }, 'hello']) {
      const { kubernetes } = await clientOf(test, (_request, response) => json(response, 200, body))
      await assert.rejects(kubernetes.list(nodes), { name: 'TransientError' })
    }
  })

  it('WAT-07: begins a list again when it expired between two pages', async (test) => {
    const asked: (string | null)[] = []
    const { kubernetes } = await clientOf(test, (request, response) => {
      const next = new URL(request.url ?? '', 'http://x').searchParams.get('continue')
      asked.push(next)
      if (asked.length === 2) json(response, 410, { kind: 'Status', reason: 'Expired', code: 410 })
      else
        json(response, 200, {
          metadata: { resourceVersion: '5', continue: next === null ? 'more' : '' },
          items: [item(next ?? 'first')],
        })
    })
    assert.deepEqual(
      (await kubernetes.list(nodes)).map(({ metadata }) => metadata.name),
      ['first', 'more'],
    )
    assert.deepEqual(asked, [null, 'more', null, 'more'])
  })

  it('WAT-07: gives up a list that expires again and again', async (test) => {
    let lists = 0
    const { kubernetes } = await clientOf(test, (request, response) => {
      const isFirst = !(request.url ?? '').includes('continue=')
      if (isFirst) lists += 1
      if (isFirst) json(response, 200, { metadata: { resourceVersion: '5', continue: 'more' }, items: [] })
      else json(response, 410, { kind: 'Status', reason: 'Expired', code: 410 })
    })
    await assert.rejects(kubernetes.list(nodes), { name: 'TransientError', reason: 'ListExpired' })
    assert.equal(lists, 3)
  })

  it('calls two budgets over one pod a blocked eviction, not a failing server', async (test) => {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    const { kubernetes } = await clientOf(test, (_request, response) =>
      json(response, 500, { kind: 'Status', code: 500, message }),
    )
    assert.deepEqual(await kubernetes.evict({ namespace: 'a', name: 'b', uid: 'c' }), {
      kind: 'blocked',
      message,
    })
  })
})

async function watch(test: Parameters<typeof anHttpServer>[0], answer: Parameters<typeof anHttpServer>[1]) {
  const { kubeconfig } = await anHttpServer(test, answer)
  const connection = kubeconfigConnection({ text: () => Promise.resolve(kubeconfig) })
  atEnd(test, () => connection.close())
  const feed = makeResourceFeed(connection, { clock: makeSystemClock(), log: fakeLog(), timeouts })
  const stop = new AbortController()
  const events: WatchEvent<Node>[] = []
  const reading = (async () => {
    for await (const event of feed.watch(nodes, {
      resourceVersion: '5',
      timeoutSeconds: 60,
      signal: stop.signal,
    }))
      events.push(event)
  })()
  return { events, reading, stop }
}

describe('watches', () => {
  it('asks for bookmarks, from a resourceVersion, for a limited time', async (test) => {
    const urls: (string | undefined)[] = []
    const { reading } = await watch(test, (request, response) => {
      urls.push(request.url)
      response.writeHead(200).end()
    })
    await reading
    assert.deepEqual(urls, [
      '/api/v1/nodes?watch=1&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=60',
    ])
  })

  it('reads events whatever the chunks are, and drops half a line at the end', async (test) => {
    const lines = [
      { type: 'ADDED', object: item('a') },
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '8' } } },
      { type: 'DELETED', object: item('ä') },
    ].map((event) => `${JSON.stringify(event)}\n`)
    const bytes = Buffer.from(`${lines.join('')}{"type":"ADDED","obj`)
    const { events, reading } = await watch(test, (_request, response) => {
      for (let at = 0; at < bytes.length; at += 11) response.write(bytes.subarray(at, at + 11))
      response.end()
    })
    await reading
    assert.deepEqual(
      events.map((event) => [event.kind, event.kind === 'put' ? event.seen.object.metadata.name : undefined]),
      [
        ['opened', undefined],
        ['put', 'a'],
        ['bookmark', undefined],
        ['deleted', undefined],
      ],
    )
  })

  const gone = {
    kind: 'Status',
    status: 'Failure',
    reason: 'Expired',
    code: 410,
    message: 'too old resource version',
  }

  it('WAT-07: says that a resourceVersion expired, told by status or inside the stream', async (test) => {
    const byStatus = await watch(test, (_request, response) => json(response, 410, gone))
    await byStatus.reading
    assert.deepEqual(byStatus.events, [{ kind: 'expired' }])
    const inStream = await watch(test, (_request, response) =>
      response.writeHead(200).end(`${JSON.stringify({ type: 'ERROR', object: gone })}\n`),
    )
    await inStream.reading
    assert.deepEqual(inStream.events, [{ kind: 'opened' }, { kind: 'expired' }])
  })

  it('fails for any other error inside the stream', async (test) => {
    const failure = { kind: 'Status', code: 500, reason: 'InternalError' }
    const { reading } = await watch(test, (_request, response) =>
      response.writeHead(200).end(`${JSON.stringify({ type: 'ERROR', object: failure })}\n`),
    )
    await assert.rejects(reading, { name: 'TransientError', reason: 'ServerError' })
  })

  it('tells an object that it does not understand apart from one that is gone', async (test) => {
    const { events, reading } = await watch(test, (_request, response) => {
      response
        .writeHead(200)
        .end(`${JSON.stringify({ type: 'MODIFIED', object: { ...item('a'), spec: 'none' } })}\n`)
    })
    await reading
    assert.deepEqual(events[1], { kind: 'unreadable', uid: 'uid-a', resourceVersion: '7' })
  })

  it('fails when the connection breaks', async (test) => {
    const { reading } = await watch(test, (_request, response) => {
      response.writeHead(200)
      response.write(`${JSON.stringify({ type: 'ADDED', object: item('a') })}\n`, () => response.destroy())
    })
    await assert.rejects(reading, { name: 'TransientError', reason: 'AnswerBrokenOff' })
  })

  it('ends quietly when it is told to', async (test) => {
    const { events, reading, stop } = await watch(test, (_request, response) => {
      response.writeHead(200).flushHeaders()
      stop.abort()
    })
    await reading
    assert.deepEqual(
      events.filter(({ kind }) => kind !== 'opened'),
      [],
    )
  })
})
