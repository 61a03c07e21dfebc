// What kubelets and Prometheus ask: /healthz (alive), /readyz (has the whole picture and has told it), /metrics.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Watcher } from './start-watcher.ts'

export interface HealthServer {
  readonly port: number
  close(): Promise<void>
}

export interface HealthServerOptions {
  readonly port: number
  /** Every address, of IPv6 too where there is IPv6, when absent. */
  readonly host?: string
}

export async function serveHealth(
  watcher: Pick<Watcher, 'health' | 'metrics'>,
  { port, host }: HealthServerOptions,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''] ?? notFound
    answer(response, watcher)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Answer = (response: ServerResponse, watcher: Pick<Watcher, 'health' | 'metrics'>) => void

const answers: Readonly<Record<string, Answer>> = {
  '/healthz': (response, watcher) => {
    const { isAlive, problems } = watcher.health()
    write(response, { status: isAlive ? 200 : 503, lines: isAlive ? ['ok'] : problems })
  },
  '/readyz': (response, watcher) => {
    const { isReady, problems } = watcher.health()
    write(response, { status: isReady ? 200 : 503, lines: isReady ? ['ok'] : problems })
  },
  '/metrics': (response, watcher) => write(response, { status: 200, lines: metricLines(watcher) }),
}

const notFound: Answer = (response) => write(response, { status: 404, lines: ['not found'] })

function write(
  response: ServerResponse,
  { status, lines }: { readonly status: number; readonly lines: readonly string[] },
): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${lines.join('\n')}\n`)
}

function metricLines(watcher: Pick<Watcher, 'metrics'>): readonly string[] {
  const { lastEventAgeMs, messagesSent } = watcher.metrics()
  return [
    '# HELP kpssh_watcher_last_event_age_seconds Time since the API server last answered for a resource.',
    '# TYPE kpssh_watcher_last_event_age_seconds gauge',
    ...Object.entries(lastEventAgeMs).map(
      ([resource, ageMs]) => `kpssh_watcher_last_event_age_seconds{resource="${resource}"} ${ageMs / 1000}`,
    ),
    '# HELP kpssh_watcher_messages_sent_total Messages that reached the queue.',
    '# TYPE kpssh_watcher_messages_sent_total counter',
    `kpssh_watcher_messages_sent_total ${messagesSent}`,
  ]
}
