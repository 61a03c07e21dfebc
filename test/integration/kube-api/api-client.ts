// A plain HTTPS client for talking to the API server as a stranger would: no library of ours in between.
import { request, type RequestOptions } from 'node:https'
import { isRecord, recordOf, textOf, type JsonRecord } from '../../../infra/local/kube-api/json.ts'
import type { KubeApiServer } from '../../../infra/local/kube-api/kube-api-server.ts'

export interface Answer {
  readonly status: number
  readonly text: string
  /** Empty for what is no JSON object. */
  readonly body: JsonRecord
}

export interface Call {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
  readonly accept?: string
  /** null: no credentials. Default: the administrator's token. */
  readonly token?: string | null
  readonly cert?: string
  readonly key?: string
}

export interface ApiClient {
  call(call: Call): Promise<Answer>
  /** A watch until it ends: every event. */
  watch(call: Call): Promise<readonly WatchedEvent[]>
}

export interface WatchedEvent {
  readonly type: string
  readonly object: JsonRecord
}

export function makeApiClient(server: Pick<KubeApiServer, 'url' | 'caPem' | 'adminToken'>): ApiClient {
  const call = (given: Call): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const body = bodyText(given.body)
      const sent = request(`${server.url}${given.path}`, optionsFor(server, given, body), (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, body: parse(text) }))
      })
      sent.on('error', reject)
      sent.end(body)
    })

  return {
    call,
    async watch(given) {
      const { text } = await call(given)
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map(parse)
        .map(({ type, object }) => ({ type: textOf(type), object: recordOf(object) }))
    },
  }
}

function optionsFor(
  server: Pick<KubeApiServer, 'caPem' | 'adminToken'>,
  { method = 'GET', token = server.adminToken, contentType, accept, cert, key }: Call,
  body: string | undefined,
): RequestOptions {
  return {
    method,
    ca: server.caPem,
    agent: false,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      ...(accept !== undefined && { accept }),
    },
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  }
}

function bodyText(body: unknown): string | undefined {
  if (body === undefined || typeof body === 'string') return body
  return JSON.stringify(body)
}

function parse(text: string): JsonRecord {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
