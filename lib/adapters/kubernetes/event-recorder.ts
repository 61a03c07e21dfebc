// Events for people. The same news about the same object is told once in two minutes by one container: an event is a
// hint, and a cluster's event store is small.
import type { Clock, Ids, Log } from '../../ambient/ports.ts'
import type { Clusters, EventRecorder } from '../../kubernetes/ports.ts'
import { eventsV1 } from '../../kubernetes/resources.ts'

type News = Parameters<EventRecorder['record']>[0]

export interface EventRecorderDeps {
  readonly clusters: Clusters
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** Which container reports, for `reportingInstance`. */
  readonly instance: string
}

const quietMs = 2 * 60_000
const maxRemembered = 1_000
const maxNoteBytes = 1_024
const reportingController = 'kpssh'

export function makeEventRecorder(deps: EventRecorderDeps): EventRecorder {
  const toldAtMs = new Map<string, number>()
  return {
    async record(news) {
      const nowMs = deps.clock.nowMs()
      if (!isNew(toldAtMs, newsKey(news), nowMs)) return
      const namespace = news.object.namespace ?? 'default'
      try {
        const outcome = await deps.clusters
          .connect(news.cluster)
          .create(eventsV1, eventOf(news, { ...deps, nowMs, namespace }), namespace)
        if (outcome.kind !== 'created')
          throw new Error(outcome.kind === 'invalid' ? outcome.message : outcome.kind)
      } catch (cause) {
        deps.log.warn('kubernetes.event-lost', {
          reason: news.reason,
          kind: news.object.kind,
          name: news.object.name,
          cause,
        })
      }
    },
  }
}

function newsKey(news: News): string {
  return JSON.stringify([
    news.cluster,
    news.object.kind,
    news.object.uid,
    news.type,
    news.reason,
    news.message,
  ])
}

/** Remembers the most recent news only; insertion order is age. */
function isNew(toldAtMs: Map<string, number>, key: string, nowMs: number): boolean {
  const before = toldAtMs.get(key)
  if (before !== undefined && nowMs - before < quietMs) return false
  toldAtMs.delete(key)
  toldAtMs.set(key, nowMs)
  const oldest = toldAtMs.keys().next().value
  if (toldAtMs.size > maxRemembered && oldest !== undefined) toldAtMs.delete(oldest)
  return true
}

function eventOf(
  news: News,
  {
    nowMs,
    namespace,
    ids,
    instance,
  }: EventRecorderDeps & { readonly nowMs: number; readonly namespace: string },
): object {
  return {
    metadata: { name: `${news.object.name.slice(0, 200)}.${ids.next()}`, namespace },
    eventTime: microTime(nowMs),
    reportingController,
    reportingInstance: instance.slice(0, 128),
    action: news.reason,
    reason: news.reason,
    type: news.type,
    note: cutToBytes(news.message, maxNoteBytes),
    regarding: news.object,
  }
}

/** MicroTime wants exactly six digits of a second. */
function microTime(nowMs: number): string {
  return new Date(nowMs).toISOString().replace('Z', '000Z')
}

function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const cut = bytes
    .subarray(0, maxBytes - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return `${cut}…`
}
