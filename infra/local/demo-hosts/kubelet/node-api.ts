// The few requests that a kubelet sends.
import { Agent, request } from 'node:https'
import { isRecord } from '../../kube-api/json.ts'

export interface Connection {
  readonly server: string
  readonly caPem: string
  readonly token?: string
  readonly certPem?: string
  readonly keyPem?: string
}

export interface NodeApi {
  send(method: string, path: string, body?: object): Promise<NodeApiAnswer>
}

export interface NodeApiAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const timeoutMs = 10_000

export function makeNodeApi(connection: Connection): NodeApi {
  const { server, caPem, token, certPem, keyPem } = connection
  const agent = new Agent({
    keepAlive: true,
    ca: caPem,
    ...(certPem !== undefined && { cert: certPem }),
    ...(keyPem !== undefined && { key: keyPem }),
  })
  return {
    send: (method, path, body) =>
      new Promise((resolve, reject) => {
        const text = body && JSON.stringify(body)
        const sent = request(
          new URL(path, server),
          {
            method,
            agent,
            timeout: timeoutMs,
            headers: {
              'user-agent': 'kubelet-stand-in',
              ...(token !== undefined && { authorization: `Bearer ${token}` }),
              ...(text !== undefined && {
                'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
                'content-length': Buffer.byteLength(text),
              }),
            },
          },
          (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('error', reject)
            response.on('end', () => {
              resolve({
                status: response.statusCode ?? 0,
                body: parse(Buffer.concat(chunks).toString('utf8')),
              })
            })
          },
        )
        sent.on('timeout', () =>
          sent.destroy(new Error(`${method} ${path}: no answer in ${String(timeoutMs)} ms`)),
        )
        sent.on('error', reject)
        sent.end(text)
      }),
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
