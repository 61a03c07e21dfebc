// A Kubernetes API server in this process: TLS in front, objects in memory behind. It answers as a real one does
// (test/fixtures/kube-api.json), for tests, for the demo and for trying things by hand; it is no control plane: the
// controllers beside it are in ../demo-cluster.
import { createServer, type Server } from 'node:https'
import { isIPv6 } from 'node:net'
import { makeAuthenticator } from './authenticate.ts'
import { addBootstrapObjects } from './bootstrap-objects.ts'
import { makeAuthority, type Authority } from './certificates.ts'
import { makeKubeApi, type KubeApi, type KubeApiOptions } from './kube-api.ts'
import { kubeconfigYaml } from './kubeconfig.ts'
import { makeLedger, type LoggedRequest } from './ledger.ts'
import { localClock, randomToken } from './local-ambient.ts'
import { serveConnection } from './serve-connection.ts'
import { administrator, type UserInfo } from './user.ts'

export interface KubeApiServerOptions extends KubeApiOptions {
  /** Default 0: any free port. */
  readonly port?: number
  /** Default 127.0.0.1. With 0.0.0.0 the first of `addresses` is what clients are told to dial. */
  readonly host?: string
  /** Names and addresses, besides the loopback ones and `host`, that the certificate is good for. */
  readonly addresses?: readonly string[]
  /** Default: random. */
  readonly adminToken?: string
  /** Further identities by bearer token. */
  readonly tokens?: ReadonlyMap<string, UserInfo>
  /** Largest request body. Default 3 MiB, as a real server's. */
  readonly maxBodyBytes?: number
}

export interface KubeApiServer extends KubeApi {
  /** https://host:port, without a path. */
  readonly url: string
  readonly port: number
  /** YAML, for the administrator. */
  readonly kubeconfig: string
  readonly adminToken: string
  readonly caPem: string
  readonly authority: Authority
  /** Every request that came over the network, oldest first (the last 50 000). */
  requests(): readonly LoggedRequest[]
  /** YAML for another identity. */
  kubeconfigFor(token: string): string
  close(): Promise<void>
}

export async function startKubeApiServer(options: KubeApiServerOptions = {}): Promise<KubeApiServer> {
  const clock = options.clock ?? localClock
  const host = options.host ?? '127.0.0.1'
  const adminToken = options.adminToken ?? randomToken()
  const authority = await makeAuthority(clock.nowMs())
  const server = await makeTlsServer(authority, [host, ...(options.addresses ?? [])], clock.nowMs())
  const api = makeKubeApi(options, () => server.closeAllConnections())
  const ledger = makeLedger(clock)
  serveConnection(server, {
    api,
    ledger,
    maxBodyBytes: options.maxBodyBytes ?? 3 * 1024 * 1024,
    authenticator: makeAuthenticator({
      store: api.store,
      tokens: new Map([[adminToken, administrator], ...(options.tokens ?? [])]),
      nowMs: () => clock.nowMs(),
    }),
  })
  const port = await listen(server, options.port ?? 0, host)
  const url = `https://${authorityOf(host, options.addresses)}:${String(port)}`
  const { caPem } = authority
  addBootstrapObjects(api, { url, caPem })
  const kubeconfigFor = (token: string): string => kubeconfigYaml({ url, caPem, token })

  return {
    ...api,
    url,
    port,
    kubeconfig: kubeconfigFor(adminToken),
    adminToken,
    caPem,
    authority,
    requests: () => ledger.requests(),
    kubeconfigFor,
    close: () => close(server, api),
  }
}

/** What clients dial: never an address that stands for all of them. */
function authorityOf(host: string, addresses: readonly string[] = []): string {
  const name = ['0.0.0.0', '::'].includes(host) ? (addresses[0] ?? '127.0.0.1') : host
  return isIPv6(name) ? `[${name}]` : name
}

async function makeTlsServer(
  authority: Authority,
  addresses: readonly string[],
  nowMs: number,
): Promise<Server> {
  const names = new Set(['127.0.0.1', '::1', 'localhost', ...addresses])
  const { certPem, keyPem } = await authority.serve([...names], nowMs)
  const server = createServer({
    cert: certPem,
    key: keyPem,
    ca: authority.caPem,
    requestCert: true,
    rejectUnauthorized: false,
    headersTimeout: 20_000,
    requestTimeout: 60_000,
  })
  // Longer than clients keep a connection: one that is closed under a request looks like a fault.
  server.keepAliveTimeout = 180_000
  return server
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

function close(server: Server, api: KubeApi): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    api.endWatches()
    server.closeAllConnections()
  })
}
