// A running watch: what is there, if the client asked for that, then every change in order, as the selection sees it. An
// object that begins to match is ADDED; one that ceases to match is DELETED in its last matching state.
import type { ApiContext } from '../api-context.ts'
import type { EventSink } from '../api-request.ts'
import type { JsonRecord } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import { apiVersionOf, collectionOf, type ResourceType } from '../resource-type.ts'
import type { Matcher } from '../selectors.ts'
import { expired, type StatusError } from '../status-error.ts'
import type { Change } from '../store.ts'
import { inVersion } from './list.ts'

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonRecord }
  | { readonly type: 'ERROR'; readonly object: JsonRecord }

export type WatchStart =
  | { readonly kind: 'version'; readonly version: number }
  /** Current objects first, and a bookmark behind them if the end is to be marked. */
  | { readonly kind: 'objects'; readonly marksEnd: boolean }
  | { readonly kind: 'now' }

export interface WatchPlan {
  readonly type: ResourceType
  readonly present: (event: WatchEvent) => unknown
  readonly matches: Matcher
  readonly start: WatchStart
  readonly timeoutMs: number
  readonly allowsBookmarks: boolean
}

/** What may be done to a running watch from outside: the levers of the fault switches. */
export interface LiveWatch {
  readonly type: ResourceType
  fail(error: StatusError): void
  bookmark(): void
  end(): void
}

const endOfInitialEvents = { annotations: { 'k8s.io/initial-events-end': 'true' } }

export function startWatch(
  context: ApiContext,
  plan: WatchPlan,
  { sink, live }: { readonly sink: EventSink; readonly live: Set<LiveWatch> },
): void {
  if (sink.closed.aborted) return
  const stop = new AbortController()
  const send = (event: WatchEvent): void => {
    if (!stop.signal.aborted) sink.write(plan.present(event))
  }
  const unsubscribe = context.store.subscribe(collectionOf(plan.type), (change) =>
    forward(change, plan, send),
  )
  const end = (): void => {
    if (stop.signal.aborted) return
    stop.abort()
    unsubscribe()
    live.delete(watch)
    sink.end()
  }
  const watch: LiveWatch = {
    type: plan.type,
    fail(error) {
      send({ type: 'ERROR', object: error.toStatus() })
      end()
    },
    bookmark: () => send(bookmarkEvent(context, plan.type)),
    end,
  }
  live.add(watch)
  sink.closed.addEventListener('abort', end)
  sendStart(context, plan, { send, watch })
  void context.clock.wait(plan.timeoutMs, stop.signal).then(end)
  if (plan.allowsBookmarks) void bookmarkNowAndThen(context, watch, stop.signal)
}

function sendStart(
  { store }: ApiContext,
  plan: WatchPlan,
  { send, watch }: { readonly send: (event: WatchEvent) => void; readonly watch: LiveWatch },
): void {
  const { start, type } = plan
  const collection = collectionOf(type)
  if (start.kind === 'version') {
    const oldest = store.oldestVersion(collection)
    if (start.version < oldest) {
      watch.fail(expired(`too old resource version: ${String(start.version)} (${String(oldest)})`))
      return
    }
    for (const change of store.changesAfter(collection, start.version)) forward(change, plan, send)
  } else if (start.kind === 'objects') {
    for (const object of store.list(collection)) {
      if (plan.matches(object)) send({ type: 'ADDED', object: inVersion(object, type) })
    }
    if (start.marksEnd) send(bookmarkEvent({ store }, type, endOfInitialEvents))
  }
}

async function bookmarkNowAndThen(context: ApiContext, watch: LiveWatch, signal: AbortSignal): Promise<void> {
  for (;;) {
    await context.clock.wait(context.bookmarkIntervalMs, signal)
    if (signal.aborted) return
    watch.bookmark()
  }
}

function forward(change: Change, plan: WatchPlan, send: (event: WatchEvent) => void): void {
  const { previous, object } = change
  const did = previous !== undefined && plan.matches(previous)
  const does = change.type !== 'DELETED' && plan.matches(object)
  if (does) {
    send({ type: did ? 'MODIFIED' : 'ADDED', object: inVersion(object, plan.type) })
    return
  }
  if (!did) return
  const last = change.type === 'DELETED' ? object : withVersionOf(previous, object)
  send({ type: 'DELETED', object: inVersion(last, plan.type) })
}

function withVersionOf(object: KubeObject, { metadata }: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: metadata.resourceVersion } }
}

function bookmarkEvent(
  { store }: Pick<ApiContext, 'store'>,
  type: ResourceType,
  metadata: JsonRecord = {},
): WatchEvent {
  const resourceVersion = String(store.version())
  return {
    type: 'BOOKMARK',
    object: { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { ...metadata, resourceVersion } },
  }
}
