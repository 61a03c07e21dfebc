// Requests to one API server: credentials renewed once on 401, throttling waited out within bounds, one repeat of a read
// over a connection that had died. Answers are values whatever their status; only failures below HTTP throw.
import type { Clock, Log } from '../../ambient/ports.ts'
import type { ConnectOptions, KubeConnection } from './connection.ts'
import { HttpCallError } from './http-call.ts'
import {
  type Budgets,
  exchangeStream,
  exchangeWhole,
  type RestAnswer,
  type RestRequest,
  type RestStream,
} from './rest-exchange.ts'
import { isDisruptionBudget } from './status.ts'
import { networkError } from './translate-error.ts'

export interface Timeouts {
  /** Until a connection stands, TLS included. */
  readonly connectMs: number
  /** Until an answer is complete, waiting for a throttled server included. */
  readonly totalMs: number
}
export const defaultTimeouts: Timeouts = { connectMs: 5_000, totalMs: 30_000 }

export interface RestClient {
  readonly timeouts: Timeouts
  call(request: RestRequest): Promise<RestAnswer>
  /** A 200 as a stream that lives as long as `request.signal` allows; any other status as `call` gives it. */
  stream(request: RestRequest): Promise<RestAnswer | RestStream>
}

export interface RestDeps {
  readonly clock: Clock
  readonly log: Log
  readonly timeouts: Timeouts
}

const maxThrottledTries = 3
const longestThrottleMs = 5_000

export function makeRestClient(connection: KubeConnection, deps: RestDeps): RestClient {
  const { clock, log, timeouts } = deps

  async function patiently<A extends RestAnswer | RestStream>(
    request: RestRequest,
    exchange: Exchange<A>,
  ): Promise<A> {
    const deadlineAtMs = clock.nowMs() + timeouts.totalMs
    for (let attempt = 1; ; attempt += 1) {
      const totalMs = Math.max(1, deadlineAtMs - clock.nowMs())
      const answer = await renewing(request, (connect) =>
        exchange(request, connect, { ...timeouts, totalMs }),
      )
      const waitMs = throttledForMs(answer)
      const isPatient = attempt < maxThrottledTries && clock.nowMs() + waitMs < deadlineAtMs
      if (waitMs === 0 || !isPatient) return answer
      log.info('kubernetes.throttled', { doing: request.doing, waitMs, attempt })
      await clock.wait(waitMs, request.signal)
    }
  }

  async function renewing<A extends { readonly status: number }>(
    request: RestRequest,
    send: (connect: ConnectOptions) => Promise<A>,
  ): Promise<A> {
    const connect = await connection.open()
    const answer = await repeating(request, () => send(connect))
    if (answer.status !== 401) return answer
    log.info('kubernetes.credentials-renewed', { doing: request.doing })
    const renewed = await connection.open(connect.generation)
    return repeating(request, () => send(renewed))
  }

  return {
    timeouts,
    call: (request) => patiently(request, exchangeWhole),
    stream: (request) => patiently(request, exchangeStream),
  }
}

type Exchange<A> = (request: RestRequest, connect: ConnectOptions, budgets: Budgets) => Promise<A>

/** A server may close a kept connection at any moment: a read that met one that way is simply sent again. */
async function repeating<A>(request: RestRequest, send: () => Promise<A>, isRepeat = false): Promise<A> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof HttpCallError)) throw error
    if (error.failure.isStaleConnection && request.method === 'GET' && !isRepeat)
      return repeating(request, send, true)
    throw networkError(request.doing, error)
  }
}

/** A throttled request was not carried out: any method may be repeated. 0 if there is nothing to wait for. */
function throttledForMs(answer: RestAnswer | RestStream): number {
  if ('stream' in answer || answer.status !== 429 || answer.retryAfterMs === undefined) return 0
  if (isDisruptionBudget(answer.body) || answer.retryAfterMs > longestThrottleMs) return 0
  return Math.max(answer.retryAfterMs, 100)
}
