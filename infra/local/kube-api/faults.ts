// Field faults as inputs of a test: what a real API server and the network before it do to a client on a bad day.
import type { Verb } from './api-request.ts'
import type { ResourceType } from './resource-type.ts'
import { expired, StatusError } from './status-error.ts'
import type { LiveWatch } from './verbs/live-watch.ts'

/** Which requests are meant: all of the named ones; what is left out means any. */
export interface RequestMatch {
  readonly verbs?: readonly Verb[]
  /** Plural names, e.g. `nodes`. */
  readonly plurals?: readonly string[]
}

export interface Faults {
  /** Answers matching requests with this status, `times` times or until `clear`. */
  refuse(match: RequestMatch, status: number, times?: number): void
  /** Watches of these plurals, live and new, go silent: connections stay open, nothing is sent. */
  blackholeWatches(plurals?: readonly string[]): void
  /** Live watches get an ERROR event with 410 Expired and end. */
  expireWatches(plurals?: readonly string[]): void
  /** Live watches end without an error, as after timeoutSeconds. */
  endWatches(plurals?: readonly string[]): void
  /** Live watches that allow bookmarks or not: all get one now. */
  sendBookmarks(plurals?: readonly string[]): void
  /** The history and all continue tokens are forgotten: older resourceVersions are 410 Expired. */
  forgetHistory(): void
  /** Cuts every connection, as a restart of the server or a proxy does. */
  dropConnections(): void
  /** Ends what `refuse` and `blackholeWatches` began. */
  clear(): void
  check(verb: Verb, type: ResourceType): void
  isBlackholed(type: ResourceType): boolean
}

interface Refusal {
  readonly match: RequestMatch
  readonly status: number
  left: number
}

export function makeFaults(levers: {
  readonly live: ReadonlySet<LiveWatch>
  readonly forgetHistory: () => void
  readonly dropConnections: () => void
}): Faults {
  let refusals: Refusal[] = []
  let blackholed: readonly string[] | 'all' = []
  const watches = (plurals: readonly string[] | undefined): readonly LiveWatch[] =>
    [...levers.live].filter(({ type }) => plurals?.includes(type.plural) ?? true)

  return {
    refuse: (match, status, times = Number.POSITIVE_INFINITY) =>
      void refusals.push({ match, status, left: times }),
    blackholeWatches: (plurals) => {
      blackholed = plurals ?? 'all'
    },
    expireWatches: (plurals) =>
      watches(plurals).forEach((watch) => watch.fail(expired('too old resource version'))),
    endWatches: (plurals) => watches(plurals).forEach((watch) => watch.end()),
    sendBookmarks: (plurals) => watches(plurals).forEach((watch) => watch.bookmark()),
    forgetHistory: levers.forgetHistory,
    dropConnections: levers.dropConnections,
    clear: () => {
      refusals = []
      blackholed = []
    },
    check(verb, type) {
      const refusal = refusals.find(({ match, left }) => left > 0 && isMeant(match, verb, type))
      if (!refusal) return
      refusal.left -= 1
      throw refusalError(refusal.status)
    },
    isBlackholed: (type) => blackholed === 'all' || blackholed.includes(type.plural),
  }
}

function isMeant(match: RequestMatch, verb: Verb, type: ResourceType): boolean {
  return (match.verbs?.includes(verb) ?? true) && (match.plurals?.includes(type.plural) ?? true)
}

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

function refusalError(status: number): StatusError {
  return new StatusError({
    code: status,
    reason: reasons[status] ?? 'Unknown',
    message: `refused on purpose with ${String(status)}`,
    ...([429, 503].includes(status) && { details: { retryAfterSeconds: 1 } }),
  })
}
