// A watch: what is there, if the client asks for that, then every change in order, as the selection sees it: an object that
// begins to match is ADDED, one that ceases to match is DELETED in its last matching state.
import type { ApiContext } from '../api-context.ts'
import type { Address, EventSink } from '../api-request.ts'
import type { JsonRecord } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import { apiVersionOf, collectionOf, type ResourceType } from '../resource-type.ts'
import type { Matcher } from '../selectors.ts'
import { badRequest, expired, type StatusError } from '../status-error.ts'
import type { Change } from '../store.ts'
import { inVersion, matcherFor } from './list.ts'

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK' | 'ERROR'; readonly object: JsonRecord }

/** What may be done to a running watch from outside: the levers of the fault switches. */
export interface LiveWatch {
  readonly type: ResourceType
  readonly startedAtMs: number
  fail(error: StatusError): void
  bookmark(): void
  end(): void
}

const defaultTimeoutMs = 45 * 60_000
const endOfInitialEvents = { annotations: { 'k8s.io/initial-events-end': 'true' } }

export interface WatchRequest {
  readonly type: ResourceType
  readonly address: Address
  /** Shows an event's object as the client asked, e.g. as a table. */
  readonly present: (event: WatchEvent) => unknown
}

export function watchObjects(
  context: ApiContext,
  request: WatchRequest,
  live: Set<LiveWatch>,
): (sink: EventSink) => void {
  const { type, address } = request
  const { query } = address
  const matches = matcherIn(type, address)
  const timeoutMs = readTimeoutMs(query)
  const start = readStart(query)
  const allowsBookmarks = ['1', 'true'].includes(query.get('allowWatchBookmarks') ?? '')
  const collection = collectionOf(type)

  return (sink) => {
    const stop = new AbortController()
    const send = (event: WatchEvent): void => {
      if (!stop.signal.aborted) sink.write(request.present(event))
    }
    const end = (): void => {
      if (stop.signal.aborted) return
      stop.abort()
      unsubscribe()
      live.delete(watch)
      sink.end()
    }
    const forward = (change: Change): void => {
      const event = eventFor(change, matches)
      if (event) send({ type: event.type, object: inVersion(event.object, type) })
    }
    const bookmark = (metadata: JsonRecord = {}): void =>
      send(bookmarkEvent(type, { ...metadata, resourceVersion: String(context.store.version()) }))
    const watch: LiveWatch = {
      type,
      startedAtMs: context.clock.nowMs(),
      fail(error) {
        send({ type: 'ERROR', object: error.toStatus() })
        end()
      },
      bookmark,
      end,
    }
    const unsubscribe = context.store.subscribe(collection, forward)
    live.add(watch)
    sink.closed.addEventListener('abort', end)
    if (sink.closed.aborted) return end()
    if (start.kind === 'version') {
      const oldest = context.store.oldestVersion(collection)
      if (start.version < oldest) {
        return watch.fail(expired(`too old resource version: ${String(start.version)} (${String(oldest)})`))
      }
      context.store.changesAfter(collection, start.version).forEach(forward)
    } else if (start.sendsObjects) {
      for (const object of context.store.list(collection).filter(matches)) {
        send({ type: 'ADDED', object: inVersion(object, type) })
      }
      if (start.marksEnd) bookmark(endOfInitialEvents)
    }
    void context.clock.wait(timeoutMs, stop.signal).then(end)
    if (allowsBookmarks) void bookmarkNowAndThen(context, bookmark, stop.signal)
  }
}

async function bookmarkNowAndThen(
  context: ApiContext,
  bookmark: () => void,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await context.clock.wait(context.bookmarkIntervalMs, signal)
    if (signal.aborted) return
    bookmark()
  }
}

function matcherIn(type: ResourceType, address: Address): Matcher {
  const matches = matcherFor(type, address.query)
  const { namespace, name } = address
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    matches(object)
}

type Start =
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'now'; readonly sendsObjects: boolean; readonly marksEnd: boolean }

function readStart(query: URLSearchParams): Start {
  const version = query.get('resourceVersion') ?? ''
  const initial = query.get('sendInitialEvents')
  if (initial !== null && query.get('resourceVersionMatch') !== 'NotOlderThan') {
    throw badRequest('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  }
  if (!/^[0-9]*$/.test(version)) throw badRequest(`invalid resource version: ${JSON.stringify(version)}`)
  if (initial === 'true') return { kind: 'now', sendsObjects: true, marksEnd: true }
  if (version === '' || version === '0')
    return { kind: 'now', sendsObjects: initial === null, marksEnd: false }
  return { kind: 'version', version: Number(version) }
}

function readTimeoutMs(query: URLSearchParams): number {
  const seconds = Number(query.get('timeoutSeconds') ?? '0')
  if (!Number.isInteger(seconds) || seconds < 0) throw badRequest('timeoutSeconds must be a whole number')
  return seconds === 0 ? defaultTimeoutMs : seconds * 1000
}

function eventFor(
  change: Change,
  matches: Matcher,
): { readonly type: Change['type']; readonly object: KubeObject } | undefined {
  const did = change.previous !== undefined && matches(change.previous)
  const does = change.type !== 'DELETED' && matches(change.object)
  if (does) return { type: did ? 'MODIFIED' : 'ADDED', object: change.object }
  if (!did || change.previous === undefined) return undefined
  if (change.type === 'DELETED') return { type: 'DELETED', object: change.object }
  const { metadata } = change.previous
  const resourceVersion = change.object.metadata.resourceVersion
  return { type: 'DELETED', object: { ...change.previous, metadata: { ...metadata, resourceVersion } } }
}

function bookmarkEvent(type: ResourceType, metadata: JsonRecord): WatchEvent {
  return { type: 'BOOKMARK', object: { apiVersion: apiVersionOf(type), kind: type.kind, metadata } }
}
