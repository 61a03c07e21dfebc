// A plain HTTPS client for talking to the API server as a stranger would: no library of ours in between.
import { request } from 'node:https'
import type { KubeApiServer } from '../../../infra/local/kube-api/kube-api-server.ts'

export interface Answer {
  readonly status: number
  readonly text: string
  /** undefined for what is no JSON. */
  readonly body: Record<string, any> | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
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

export function makeApiClient(server: Pick<KubeApiServer, 'url' | 'caPem' | 'adminToken'>): {
  call(call: Call): Promise<Answer>
  /** A watch until it ends: every event. */
  watch(call: Call): Promise<readonly { readonly type: string; readonly object: Record<string, any> }[]>
} {
  const call = (given: Call): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { method = 'GET', path, token = server.adminToken, cert, key } = given
      const body =
        typeof given.body === 'string'
          ? given.body
          : given.body === undefined
            ? undefined
            : JSON.stringify(given.body)
      const sent = request(
        `${server.url}${path}`,
        {
          method,
          ca: server.caPem,
          agent: false,
          headers: {
            ...(token !== null && { authorization: `Bearer ${token}` }),
            ...(given.contentType !== undefined && { 'content-type': given.contentType }),
            ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
            ...(given.accept !== undefined && { accept: given.accept }),
          },
          ...(cert !== undefined && { cert }),
          ...(key !== undefined && { key }),
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('error', reject)
          response.on('end', () => {
            const status = response.statusCode ?? 0
            resolve({ status, text, body: parse(text), headers: response.headers })
          })
        },
      )
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
        .map((line) => JSON.parse(line))
    },
  }
}

function parse(text: string): Record<string, any> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
