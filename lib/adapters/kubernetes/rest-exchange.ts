// One request and its answer, between what callers say and what HTTP needs.
import type { IncomingMessage } from 'node:http'
import type { ConnectOptions } from './connection.ts'
import { callHttp, type HttpAnswer, type HttpCall, readText, streamHttp } from './http-call.ts'
import { statusOf } from './status.ts'

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

export interface RestStream {
  readonly status: 200
  readonly stream: IncomingMessage
}

export interface Budgets {
  readonly connectMs: number
  readonly totalMs: number
}

const maxAnswerBytes = 64 * 1024 * 1024
const maxErrorBytes = 64 * 1024

export async function exchangeWhole(
  request: RestRequest,
  connect: ConnectOptions,
  budgets: Budgets,
): Promise<RestAnswer> {
  return restAnswer(await callHttp(httpCall(request, connect, budgets), maxAnswerBytes))
}

export async function exchangeStream(
  request: RestRequest,
  connect: ConnectOptions,
  budgets: Budgets,
): Promise<RestAnswer | RestStream> {
  const response = await streamHttp(httpCall(request, connect, budgets))
  if (response.statusCode === 200) return { status: 200, stream: response }
  const text = await readText(response, maxErrorBytes)
  return restAnswer({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text })
}

function httpCall(request: RestRequest, connect: ConnectOptions, budgets: Budgets): HttpCall {
  const url = new URL(connect.server + request.path)
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  const { body } = request
  return {
    ...budgets,
    method: request.method,
    url,
    connect,
    headers: {
      ...connect.headers,
      Accept: 'application/json',
      'User-Agent': 'kpssh',
      ...(body === undefined ? {} : { 'Content-Type': request.contentType ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  }
}

function restAnswer({ status, retryAfter, text }: HttpAnswer): RestAnswer {
  const body = parseJson(text)
  const seconds = retryAfter === undefined ? statusOf(body)?.details?.retryAfterSeconds : Number(retryAfter)
  return { status, body, retryAfterMs: seconds !== undefined && seconds >= 0 ? seconds * 1000 : undefined }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
