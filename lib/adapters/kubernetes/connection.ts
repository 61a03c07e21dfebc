// How to reach one API server and be known to it. @kubernetes/client-node reads kubeconfigs, runs credential plugins and
// finds the in-cluster account; bearer tokens that live in files or expire are ours, because it keeps them too long.
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { ConfigError } from '../../errors/config-error.ts'
import { TransientError } from '../../errors/transient-error.ts'
import { type KubeconfigSource, loadKubeconfig } from './kubeconfig.ts'

export interface ConnectOptions {
  /** Without a trailing slash; may have a path. */
  readonly server: string
  readonly headers: Readonly<Record<string, string>>
  readonly tls: Readonly<
    Pick<https.RequestOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>
  >
  /** `user:password`, for basic authentication. */
  readonly auth?: string
  readonly agent: http.Agent
  /** Which reading of the credentials this is. */
  readonly generation: number
}

export interface KubeConnection {
  /**
   * What one request needs. Token files are read each time. `rejected` is the generation that the server answered with
   * 401: everything is read anew, unless somebody did so meanwhile. Throws ConfigError and TransientError.
   */
  open(rejected?: number): Promise<ConnectOptions>
  /** Closes idle connections. */
  close(): void
}

/** `renew`: the last one was refused. */
export type TokenSource = (options: { readonly renew: boolean }) => Promise<string>

export function kubeconfigConnection(source: KubeconfigSource): KubeConnection {
  return makeConnection(() => loadKubeconfig(source))
}

/** The service account of the pod that this process runs in; below `root` in tests. */
export function inClusterConnection(root = ''): KubeConnection {
  return makeConnection(() => {
    const config = new KubeConfig()
    config.loadFromCluster(root)
    if (URL.canParse(config.getCurrentCluster()?.server ?? '')) return Promise.resolve(config)
    throw new ConfigError(
      'Cannot find the API server: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT do not say where it is, run in a pod or set KUBECONFIG',
      { reason: 'NotInCluster' },
    )
  })
}

/** A server that is told who we are by tokens of ours. */
export function tokenConnection(
  cluster: { readonly name: string; readonly endpoint: string; readonly certificateAuthorityBase64: string },
  token: TokenSource,
): KubeConnection {
  const config = new KubeConfig()
  const server = cluster.endpoint.replace(/\/$/, '')
  config.loadFromClusterAndUser(
    { name: cluster.name, server, caData: cluster.certificateAuthorityBase64, skipTLSVerify: false },
    { name: cluster.name },
  )
  return makeConnection(() => Promise.resolve(config), token)
}

/** An idle connection is closed before something on the way forgets it: a write over a dead one fails. */
const keptFor = { keepAlive: true, timeout: 20_000 }

function makeConnection(load: () => Promise<KubeConfig>, token?: TokenSource): KubeConnection {
  const agents = { http: new http.Agent(keptFor), https: new https.Agent(keptFor) }
  let generation = 0
  let loading: Promise<KubeConfig> | undefined
  return {
    async open(rejected) {
      const renew = rejected === generation
      if (renew || loading === undefined) {
        generation += 1
        loading = load()
      }
      const current = loading
      try {
        const config = await current
        const bearer = await (token === undefined ? tokenFromFile(config) : token({ renew }))
        const options = await requestOptions(config)
        const agent = proxyAgentOf(config, options) ?? (isPlain(config) ? agents.http : agents.https)
        return connectOptions(config, { options, agent, bearer, generation })
      } catch (error) {
        if (loading === current) loading = undefined
        throw error
      }
    },
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

interface Parts {
  readonly options: https.RequestOptions
  readonly agent: http.Agent
  readonly bearer: string | undefined
  readonly generation: number
}

function connectOptions(config: KubeConfig, { options, agent, bearer, generation }: Parts): ConnectOptions {
  const { ca, cert, key, servername, rejectUnauthorized, auth } = options
  const tls = { ca, cert, key, servername, rejectUnauthorized }
  return {
    server: serverOf(config),
    headers: {
      ...textHeaders(options.headers),
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
    },
    tls: Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined)),
    ...(typeof auth === 'string' ? { auth } : {}),
    agent,
    generation,
  }
}

async function requestOptions(config: KubeConfig): Promise<https.RequestOptions> {
  const options: https.RequestOptions = {}
  try {
    await config.applyToHTTPSOptions(options)
    return options
  } catch (cause) {
    throw new TransientError(
      `Cannot authenticate to the API server "${serverOf(config)}": its user's credentials could not be made, check the credential plugin and the certificate files`,
      { reason: 'CredentialsFailed', cause },
    )
  }
}

function proxyAgentOf(config: KubeConfig, options: https.RequestOptions): http.Agent | undefined {
  return config.getCurrentCluster()?.proxyUrl !== undefined && options.agent instanceof http.Agent
    ? options.agent
    : undefined
}

function isPlain(config: KubeConfig): boolean {
  return serverOf(config).startsWith('http:')
}

function serverOf(config: KubeConfig): string {
  const server = config.getCurrentCluster()?.server
  if (server !== undefined && URL.canParse(server)) return server
  throw new ConfigError(
    `Cannot connect to the API server "${server ?? ''}": not a URL, set the server of the current cluster`,
    {
      reason: 'KubeconfigInvalid',
    },
  )
}

/** A rotated token is used at the next request: bound tokens live for minutes. */
async function tokenFromFile(config: KubeConfig): Promise<string | undefined> {
  const provider: unknown = config.getCurrentUser()?.authProvider
  const path = tokenFileOf(provider)
  if (path === undefined) return undefined
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (cause) {
    throw new TransientError(
      `Cannot read the token file "${path}": not readable, mount the service account token`,
      {
        reason: 'CredentialsFailed',
        cause,
      },
    )
  }
}

function tokenFileOf(provider: unknown): string | undefined {
  if (typeof provider !== 'object' || provider === null || !('config' in provider)) return undefined
  const settings = provider.config
  if (typeof settings !== 'object' || settings === null || !('tokenFile' in settings)) return undefined
  return typeof settings.tokenFile === 'string' ? settings.tokenFile : undefined
}

function textHeaders(headers: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )
}
