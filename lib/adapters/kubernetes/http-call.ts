// One HTTP exchange within its budgets. The first cause of a failure wins: a timeout followed by a reset is a timeout.
import http from 'node:http'
import https from 'node:https'
import type { ConnectOptions } from './connection.ts'

export interface HttpCall {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly connect: ConnectOptions
  /** Until the connection, TLS included, stands. */
  readonly connectMs: number
  /** Until the answer is complete; for a stream, until its headers are here. */
  readonly totalMs: number
  readonly signal?: AbortSignal
}

/** A failure below HTTP. */
export interface HttpFailure {
  readonly kind: 'connect-timeout' | 'timeout' | 'too-large' | 'network'
  readonly code: string
  /** A kept-alive connection that the server closed meanwhile: an idempotent request may be repeated at once. */
  readonly isStaleConnection: boolean
}

export class HttpCallError extends Error {
  readonly failure: HttpFailure
  constructor(failure: HttpFailure, cause?: unknown) {
    super(failure.code, { cause })
    this.name = 'HttpCallError'
    this.failure = failure
  }
}

export interface HttpAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
}

/** The whole answer. */
export async function callHttp(call: HttpCall, maxBytes: number): Promise<HttpAnswer> {
  const watch = startBudget(call)
  try {
    const response = await send(call, watch)
    const text = await readText(response, maxBytes, watch)
    return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text }
  } finally {
    watch.stop()
  }
}

/** The answer's headers; its body is the caller's, for as long as `call.signal` allows. */
export async function streamHttp(call: HttpCall): Promise<http.IncomingMessage> {
  const watch = startBudget(call)
  try {
    const response = await send(call, watch)
    // Whoever reads it is told of its failure; before anybody reads, a failure must not end the process.
    response.on('error', () => undefined)
    return response
  } finally {
    watch.stop()
  }
}

export async function readText(
  response: http.IncomingMessage,
  maxBytes: number,
  budget?: Budget,
): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes)
        throw new HttpCallError({ kind: 'too-large', code: 'ResponseTooLarge', isStaleConnection: false })
      chunks.push(chunk)
    }
  } catch (error) {
    throw budget?.firstCause() ?? failureOf(error, false)
  }
  return Buffer.concat(chunks, bytes).toString('utf8')
}

interface Budget {
  readonly signal: AbortSignal
  abort(failure: HttpFailure): void
  firstCause(): HttpCallError | undefined
  stop(): void
}

function startBudget(call: HttpCall): Budget {
  const controller = new AbortController()
  let cause: HttpCallError | undefined
  const abort = (failure: HttpFailure): void => {
    cause ??= new HttpCallError(failure)
    controller.abort(cause)
  }
  const timer = setTimeout(
    () => abort({ kind: 'timeout', code: 'Timeout', isStaleConnection: false }),
    call.totalMs,
  )
  const signal =
    call.signal === undefined ? controller.signal : AbortSignal.any([controller.signal, call.signal])
  return { signal, abort, firstCause: () => cause, stop: () => clearTimeout(timer) }
}

function send(call: HttpCall, budget: Budget): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { agent, tls, auth } = call.connect
    const options: https.RequestOptions = {
      method: call.method,
      headers:
        call.body === undefined
          ? call.headers
          : { ...call.headers, 'content-length': Buffer.byteLength(call.body) },
      agent,
      ...tls,
      ...(auth === undefined ? {} : { auth }),
      signal: budget.signal,
    }
    const request = (call.url.protocol === 'http:' ? http : https).request(call.url, options, resolve)
    request.on('socket', (socket) => boundConnect(socket, call, budget))
    request.on('error', (error) => reject(budget.firstCause() ?? failureOf(error, request.reusedSocket)))
    request.end(call.body)
  })
}

function boundConnect(socket: import('node:net').Socket, call: HttpCall, budget: Budget): void {
  if (!socket.connecting) return
  const timer = setTimeout(
    () => budget.abort({ kind: 'connect-timeout', code: 'ConnectTimeout', isStaleConnection: false }),
    call.connectMs,
  )
  const done = (): void => clearTimeout(timer)
  socket.once(call.url.protocol === 'http:' ? 'connect' : 'secureConnect', done)
  socket.once('close', done)
}

function failureOf(error: unknown, isReusedSocket: boolean): HttpCallError {
  if (error instanceof HttpCallError) return error
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'NetworkError'
  const isStaleConnection = isReusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
  return new HttpCallError({ kind: 'network', code, isStaleConnection }, error)
}
