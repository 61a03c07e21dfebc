// From HTTP to a request and back: bodies with a limit, watches as lines of JSON.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import { TLSSocket } from 'node:tls'
import type { ApiResponse, EventSink } from './api-request.ts'
import type { Authenticator, Credentials } from './authenticate.ts'
import { readCertificateUser } from './certificates.ts'
import type { KubeApi } from './kube-api.ts'
import type { Ledger } from './ledger.ts'
import { protobufMedia, readProtobuf } from './protobuf/read-protobuf.ts'
import { StatusError, tooLarge, unauthorized } from './status-error.ts'
import type { UserInfo } from './user.ts'
import { mediaType } from './verbs/read-body.ts'

export interface ServeOptions {
  readonly api: KubeApi
  readonly ledger: Ledger
  readonly authenticator: Authenticator
  readonly maxBodyBytes: number
}

/** A reader that lets this much pile up is cut off: a watch never grows without bound. */
const maxUnreadBytes = 256 * 1024 * 1024

export function serveConnection(server: Server, options: ServeOptions): void {
  server.on('request', (request, response) => void serve(request, response, options))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.on('clientError', (_error, socket) => socket.destroy())
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeOptions,
): Promise<void> {
  response.on('error', () => response.destroy())
  const { method = 'GET', url = '/' } = request
  let user: UserInfo | undefined
  let answer: ApiResponse
  try {
    user = options.authenticator.authenticate(credentialsOf(request))
    const sent = sentBody(await readAll(request, options.maxBodyBytes), request.headers['content-type'])
    const { accept } = request.headers
    answer = options.api.handle({ method, url, user, ...sent, ...(accept !== undefined && { accept }) })
  } catch (error) {
    if (!(error instanceof StatusError)) {
      // The client left in the middle of its request.
      response.destroy()
      return
    }
    answer = { kind: 'json', status: error.code, body: error.toStatus() }
  }
  options.ledger.note({
    method,
    url,
    username: user?.username ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    status: answer.kind === 'stream' ? 200 : answer.status,
  })
  send(request, response, answer)
}

/** The body as text. What kubectl can only say in protobuf is JSON from here on. */
function sentBody(
  bytes: Buffer,
  contentType: string | undefined,
): { readonly body?: string; readonly contentType?: string } {
  if (bytes.length === 0) return contentType === undefined ? {} : { contentType }
  if (mediaType(contentType) === protobufMedia) {
    return { body: JSON.stringify(readProtobuf(bytes)), contentType: 'application/json' }
  }
  return { body: bytes.toString('utf8'), ...(contentType !== undefined && { contentType }) }
}

function credentialsOf({ headers, socket }: IncomingMessage): Credentials {
  const { authorization } = headers
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
  if (!certificate) return authorization === undefined ? {} : { authorization }
  // TLS has checked it against our authority, and let it pass either way.
  const certificateUser =
    socket instanceof TLSSocket && socket.authorized ? readCertificateUser(certificate) : undefined
  if (!certificateUser) throw unauthorized()
  return { certificateUser }
}

async function readAll(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    length += bytes.length
    // The rest is read and thrown away, so that the client hears the answer instead of a reset.
    if (length <= limitBytes) chunks.push(bytes)
    else if (length > limitBytes * 8) break
  }
  if (length > limitBytes) throw tooLarge(limitBytes)
  return Buffer.concat(chunks)
}

function send(request: IncomingMessage, response: ServerResponse, answer: ApiResponse): void {
  if (answer.kind === 'stream') {
    stream(response, answer.open)
    return
  }
  const isJson = answer.kind === 'json'
  const text = answer.kind === 'json' ? JSON.stringify(answer.body) : answer.body
  response.writeHead(answer.status, {
    'content-type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-cache, private',
    ...(answer.status === 429 && { 'retry-after': '1' }),
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}

function stream(response: ServerResponse, open: (sink: EventSink) => void): void {
  const closed = new AbortController()
  response.on('close', () => closed.abort())
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' })
  response.flushHeaders()
  open({
    closed: closed.signal,
    write(event) {
      response.write(`${JSON.stringify(event)}\n`)
      if (response.writableLength > maxUnreadBytes) response.destroy()
    },
    end: () => void response.end(),
  })
}
