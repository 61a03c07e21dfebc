// Requests to one API server: credentials renewed once on 401, throttling waited out within bounds, one repeat of a read
// over a connection that had died. Answers are values whatever their status; only failures below HTTP throw.
import type { IncomingMessage } from 'node:http'
import type { Clock, Log } from '../../ambient/ports.ts'
import type { ConnectOptions, KubeConnection } from './connection.ts'
import { callHttp, type HttpAnswer, type HttpCall, HttpCallError, readText, streamHttp } from './http-call.ts'
import { isDisruptionBudget } from './status.ts'
import { networkError } from './translate-error.ts'

export interface Timeouts {
  /** Until a connection stands, TLS included. */
  readonly connectMs: number
  /** Until an answer is complete, waiting for a throttled server included. */
  readonly totalMs: number
}
export const defaultTimeouts: Timeouts = { connectMs: 5_000, totalMs: 30_000 }

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: object
  readonly contentType?: string
  /** What is attempted, for errors: `list "pods"`. */
  readonly doing: string
  readonly signal?: AbortSignal
}

export interface RestAnswer {
  readonly status: number
  /** Parsed JSON; the text itself where it is none. */
  readonly body: unknown
  readonly retryAfterMs: number | undefined
}

export interface RestClient {
  call(request: RestRequest): Promise<RestAnswer>
  /** A 200 as a stream that lives as long as `signal` allows; any other status as `call` gives it. */
  stream(
    request: RestRequest,
  ): Promise<RestAnswer | { readonly status: 200; readonly stream: IncomingMessage }>
}

export interface RestDeps {
  readonly clock: Clock
  readonly log: Log
  readonly timeouts: Timeouts
}

const maxAnswerBytes = 64 * 1024 * 1024
const maxErrorBytes = 64 * 1024
const maxThrottledTries = 3
const longestThrottleMs = 5_000

export function makeRestClient(connection: KubeConnection, deps: RestDeps): RestClient {
  return {
    async call(request) {
      const deadlineAtMs = deps.clock.nowMs() + deps.timeouts.totalMs
      for (let attempt = 1; ; attempt += 1) {
        const answer = await withCredentials(request, (connect) =>
          callOnce(request, { connect, deps, deadlineAtMs }),
        )
        const waitMs = throttledForMs(answer)
        const isPatient = attempt < maxThrottledTries && deps.clock.nowMs() + waitMs < deadlineAtMs
        if (waitMs === 0 || !isPatient) return answer
        deps.log.info('kubernetes.throttled', { doing: request.doing, waitMs, attempt })
        await deps.clock.wait(waitMs, request.signal)
      }
    },
    async stream(request) {
      return withCredentials(request, (connect) => streamOnce(request, connect, deps))
    },
  }

  async function withCredentials<A extends { readonly status: number }>(
    request: RestRequest,
    send: (connect: ConnectOptions) => Promise<A>,
  ): Promise<A> {
    const connect = await connection.open()
    const answer = await repeatOnStaleConnection(request, () => send(connect))
    if (answer.status !== 401) return answer
    deps.log.info('kubernetes.credentials-renewed', { doing: request.doing })
    return send(await connection.open(connect.generation))
  }
}

async function repeatOnStaleConnection<A>(request: RestRequest, send: () => Promise<A>): Promise<A> {
  try {
    return await send()
  } catch (error) {
    const isStale = error instanceof HttpCallError && error.failure.isStaleConnection
    if (!isStale || request.method !== 'GET') throw translated(request, error)
  }
  return send().catch((error: unknown) => {
    throw translated(request, error)
  })
}

function translated(request: RestRequest, error: unknown): unknown {
  return error instanceof HttpCallError ? networkError(request.doing, error) : error
}

interface OnceOptions {
  readonly connect: ConnectOptions
  readonly deps: RestDeps
  readonly deadlineAtMs: number
}

async function callOnce(
  request: RestRequest,
  { connect, deps, deadlineAtMs }: OnceOptions,
): Promise<RestAnswer> {
  const totalMs = Math.max(1, deadlineAtMs - deps.clock.nowMs())
  return restAnswer(
    await callHttp(
      httpCall(request, { connect, totalMs, connectMs: deps.timeouts.connectMs }),
      maxAnswerBytes,
    ),
  )
}

async function streamOnce(
  request: RestRequest,
  connect: ConnectOptions,
  deps: RestDeps,
): Promise<RestAnswer | { readonly status: 200; readonly stream: IncomingMessage }> {
  const response = await streamHttp(httpCall(request, { connect, ...deps.timeouts }))
  const status = response.statusCode ?? 0
  if (status === 200) return { status, stream: response }
  const text = await readText(response, maxErrorBytes)
  return restAnswer({ status, retryAfter: response.headers['retry-after'], text })
}

function httpCall(
  request: RestRequest,
  options: { readonly connect: ConnectOptions; readonly totalMs: number; readonly connectMs: number },
): HttpCall {
  const url = new URL(options.connect.server + request.path)
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  const { body } = request
  return {
    method: request.method,
    url,
    headers: {
      ...options.connect.headers,
      Accept: 'application/json',
      'User-Agent': 'kpssh',
      ...(body === undefined ? {} : { 'Content-Type': request.contentType ?? 'application/json' }),
    },
    ...options,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  }
}

function restAnswer(answer: HttpAnswer): RestAnswer {
  const seconds = Number(answer.retryAfter)
  const retryAfterMs = answer.retryAfter !== undefined && seconds >= 0 ? seconds * 1000 : undefined
  return { status: answer.status, body: parseJson(answer.text), retryAfterMs }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A throttled request was not carried out: any method may be repeated. 0 if there is nothing to wait for. */
function throttledForMs(answer: RestAnswer): number {
  if (answer.status !== 429 || answer.retryAfterMs === undefined || isDisruptionBudget(answer.body)) return 0
  return answer.retryAfterMs <= longestThrottleMs ? Math.max(answer.retryAfterMs, 100) : 0
}
