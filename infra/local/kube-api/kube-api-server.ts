// A Kubernetes API server in this process: TLS in front, objects in memory behind. It answers as a real one does
// (test/fixtures/kube-api.json), for tests, for the demo and for trying things by hand; it is no control plane: the
// controllers beside it are in ../demo-cluster.
import { createServer, type Server } from 'node:https'
import { isIPv6 } from 'node:net'
import type { Clock, Ids } from '../../../lib/ambient/ports.ts'
import type { ApiContext } from './api-context.ts'
import type { ApiRequest, ApiResponse } from './api-request.ts'
import { makeAuthenticator } from './authenticate.ts'
import { addBootstrapObjects } from './bootstrap-objects.ts'
import { makeAuthority, type Authority } from './certificates.ts'
import { makeFaults, type Faults } from './faults.ts'
import { handleRequest, type ApiHandler } from './handle-request.ts'
import { kubeconfigYaml } from './kubeconfig.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { localClock, localIds, randomToken } from './local-ambient.ts'
import { makeRegistry } from './registry.ts'
import type { ResourceType } from './resource-type.ts'
import { serveConnection } from './serve-connection.ts'
import { makeStore, type Store } from './store.ts'
import { administrator, type UserInfo } from './user.ts'
import { makeListSnapshots } from './verbs/list.ts'
import type { LiveWatch } from './verbs/live-watch.ts'

export interface KubeApiOptions {
  /** Default 0: any free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Names and addresses, besides the loopback ones and `host`, that the certificate is good for. */
  readonly addresses?: readonly string[]
  readonly clock?: Clock
  readonly ids?: Ids
  /** Default: random. */
  readonly adminToken?: string
  /** Further identities by bearer token. */
  readonly tokens?: ReadonlyMap<string, UserInfo>
  /** Default 60 000, as a real server's. */
  readonly bookmarkIntervalMs?: number
  /** Changes kept per resource for watches that start in the past. Default 20 000. */
  readonly historyLimit?: number
  /** Largest request body. Default 3 MiB, as a real server's. */
  readonly maxBodyBytes?: number
}

export interface KubeApiServer {
  /** https://host:port, without a path. */
  readonly url: string
  readonly port: number
  /** YAML, for the administrator. */
  readonly kubeconfig: string
  readonly adminToken: string
  readonly caPem: string
  readonly store: Store
  readonly authority: Authority
  readonly faults: Faults
  /** The kinds served right now. */
  types(): readonly ResourceType[]
  /** Every request so far, oldest first (the last 50 000). */
  requests(): ReturnType<Ledger['requests']>
  /** Watches open right now, by plural. */
  liveWatches(): Readonly<Record<string, number>>
  /** A request without the network, by default as the administrator. */
  handle(request: Omit<ApiRequest, 'user'> & { readonly user?: UserInfo }): ApiResponse
  /** YAML for another identity. */
  kubeconfigFor(token: string): string
  close(): Promise<void>
}

export async function startKubeApiServer(options: KubeApiOptions = {}): Promise<KubeApiServer> {
  const clock = options.clock ?? localClock
  const host = options.host ?? '127.0.0.1'
  const adminToken = options.adminToken ?? randomToken()
  const authority = await makeAuthority(clock.nowMs())
  const names = new Set(['127.0.0.1', '::1', 'localhost', host, ...(options.addresses ?? [])])
  const serving = await authority.serve([...names], clock.nowMs())
  const handler = makeHandler(options, authority, () => server.closeAllConnections())
  const ledger = makeLedger(clock)
  const server = createServer({
    cert: serving.certPem,
    key: serving.keyPem,
    ca: authority.caPem,
    requestCert: true,
    rejectUnauthorized: false,
    headersTimeout: 20_000,
    requestTimeout: 60_000,
  })
  serveConnection(server, {
    handler,
    ledger,
    maxBodyBytes: options.maxBodyBytes ?? 3 * 1024 * 1024,
    authenticator: makeAuthenticator({
      store: handler.context.store,
      tokens: new Map([[adminToken, administrator], ...(options.tokens ?? [])]),
      nowMs: () => clock.nowMs(),
    }),
  })
  const port = await listen(server, options.port ?? 0, host)
  const url = `https://${isIPv6(host) ? `[${host}]` : host}:${String(port)}`
  addBootstrapObjects(handler.context, { url, caPem: authority.caPem })
  const kubeconfigFor = (token: string): string => kubeconfigYaml({ url, caPem: authority.caPem, token })

  return {
    url,
    port,
    kubeconfig: kubeconfigFor(adminToken),
    adminToken,
    caPem: authority.caPem,
    store: handler.context.store,
    authority,
    faults: handler.faults,
    types: () => handler.context.registry.all(),
    requests: () => ledger.requests(),
    liveWatches: () => countByPlural(handler.live),
    handle: (request) => handleRequest(handler, { user: administrator, ...request }),
    kubeconfigFor,
    close: () => close(server, handler.live),
  }
}

function makeHandler(options: KubeApiOptions, authority: Authority, dropConnections: () => void): ApiHandler {
  const store = makeStore(options.historyLimit === undefined ? {} : { historyLimit: options.historyLimit })
  const snapshots = makeListSnapshots()
  const live = new Set<LiveWatch>()
  const context: ApiContext = {
    store,
    authority,
    registry: makeRegistry(store),
    clock: options.clock ?? localClock,
    ids: options.ids ?? localIds,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
  }
  const forgetHistory = (): void => {
    store.forgetHistory()
    snapshots.forget()
  }
  return { context, snapshots, live, faults: makeFaults({ live, forgetHistory, dropConnections }) }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function close(server: Server, live: ReadonlySet<LiveWatch>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    for (const watch of [...live]) watch.end()
    server.closeAllConnections()
  })
}

function countByPlural(live: ReadonlySet<LiveWatch>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { type } of live) counts[type.plural] = (counts[type.plural] ?? 0) + 1
  return counts
}
