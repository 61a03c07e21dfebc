// One request as the server understands it, whoever carried it: TLS from outside or the controllers in this process.
import { badRequest } from './status-error.ts'
import type { UserInfo } from './user.ts'

export interface ApiRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly user: UserInfo
  readonly contentType?: string
  readonly accept?: string
  readonly body?: string
}

export type ApiResponse =
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'text'; readonly status: number; readonly body: string }
  | { readonly kind: 'stream'; readonly open: (sink: EventSink) => void }

/** Where a watch writes. `closed` aborts when the reader is gone. */
export interface EventSink {
  write(event: unknown): void
  end(): void
  readonly closed: AbortSignal
}

/** What the path addresses. */
export interface Address {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
  readonly query: URLSearchParams
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** undefined: the path is none of an API resource. */
export function readAddress(url: string): Address | undefined {
  const { pathname, searchParams } = parseUrl(url)
  const parts = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decode)
  const [root, ...rest] = parts
  if (root === 'api') return addressBelow('', rest, searchParams)
  if (root === 'apis' && rest[0] !== undefined) return addressBelow(rest[0], rest.slice(1), searchParams)
  return undefined
}

export function parseUrl(url: string): URL {
  try {
    return new URL(url, 'https://server.invalid')
  } catch (cause) {
    throw Object.assign(badRequest('the request URL is malformed'), { cause })
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw Object.assign(badRequest('the request path is malformed'), { cause })
  }
}

function addressBelow(group: string, parts: readonly string[], query: URLSearchParams): Address | undefined {
  const [version, ...path] = parts
  if (version === undefined || path.length === 0) return undefined
  const isNamespaceItself = path.length <= 2 || ['status', 'finalize'].includes(path[2] ?? '')
  if (path[0] === 'namespaces' && !(group === '' && isNamespaceItself)) {
    return addressOf({ group, version, query, namespace: path[1] }, path.slice(2))
  }
  return addressOf({ group, version, query }, path)
}

function addressOf(
  base: { group: string; version: string; query: URLSearchParams; namespace?: string | undefined },
  path: readonly string[],
): Address | undefined {
  const [plural, name, subresource] = path
  if (plural === undefined || path.length > 3) return undefined
  const { group, version, query, namespace } = base
  return {
    group,
    version,
    plural,
    query,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  }
}

const writes: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch' }

export function verbOf(method: string, { name, query }: Address): Verb | undefined {
  const isNamed = name !== undefined
  if (method === 'DELETE') return isNamed ? 'delete' : 'deletecollection'
  if (method !== 'GET' && method !== 'HEAD') return writes[method]
  if (['1', 'true'].includes(query.get('watch') ?? '')) return 'watch'
  return isNamed ? 'get' : 'list'
}
