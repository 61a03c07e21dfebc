// What a watch request asks: where to start, what to select, for how long.
import type { ApiContext } from '../api-context.ts'
import type { Address, EventSink } from '../api-request.ts'
import type { ResourceType } from '../resource-type.ts'
import { badRequest } from '../status-error.ts'
import { matcherFor } from './list.ts'
import { startWatch, type LiveWatch, type WatchEvent, type WatchPlan, type WatchStart } from './live-watch.ts'

const defaultTimeoutMs = 45 * 60_000

export interface WatchRequest {
  readonly type: ResourceType
  readonly address: Address
  /** Shows an event's object as the client asked, e.g. as a table. */
  readonly present: (event: WatchEvent) => unknown
}

/** Throws for a request that cannot be watched; what it returns starts the watch. */
export function watchObjects(
  context: ApiContext,
  request: WatchRequest,
  live: Set<LiveWatch>,
): (sink: EventSink) => void {
  const { type, address, present } = request
  const { query, namespace, name } = address
  const isSelected = matcherFor(type, query)
  const plan: WatchPlan = {
    type,
    present,
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      isSelected(object),
    start: readStart(query),
    timeoutMs: readTimeoutMs(query),
    allowsBookmarks: ['1', 'true'].includes(query.get('allowWatchBookmarks') ?? ''),
  }
  return (sink) => startWatch(context, plan, { sink, live })
}

function readStart(query: URLSearchParams): WatchStart {
  const version = query.get('resourceVersion') ?? ''
  const initial = query.get('sendInitialEvents')
  if (initial !== null && query.get('resourceVersionMatch') !== 'NotOlderThan') {
    throw badRequest('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  }
  if (!/^[0-9]*$/.test(version)) throw badRequest(`invalid resource version: ${JSON.stringify(version)}`)
  if (initial === 'true') return { kind: 'objects', marksEnd: true }
  if (version !== '' && version !== '0') return { kind: 'version', version: Number(version) }
  return initial === null ? { kind: 'objects', marksEnd: false } : { kind: 'now' }
}

function readTimeoutMs(query: URLSearchParams): number {
  const seconds = Number(query.get('timeoutSeconds') ?? '0')
  if (!Number.isInteger(seconds) || seconds < 0) throw badRequest('timeoutSeconds must be a whole number')
  return seconds === 0 ? defaultTimeoutMs : seconds * 1000
}
