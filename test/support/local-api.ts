// Talking to the API without its network, in tests of it and of the controllers.
import assert from 'node:assert/strict'
import { addNamespaces } from '../../infra/local/kube-api/bootstrap-objects.ts'
import type { EventSink } from '../../infra/local/kube-api/api-request.ts'
import { isRecord, recordOf, textOf, valueAt, type JsonRecord } from '../../infra/local/kube-api/json.ts'
import {
  makeKubeApi,
  type KubeApi,
  type KubeApiOptions,
  type LocalRequest,
} from '../../infra/local/kube-api/kube-api.ts'

export interface LocalAnswer {
  readonly status: number
  readonly body: JsonRecord
}

export interface LocalApi extends KubeApi {
  ask(method: string, url: string, body?: unknown, more?: Partial<LocalRequest>): LocalAnswer
  /** As `ask`, for what must succeed. */
  must(method: string, url: string, body?: unknown): JsonRecord
  /** Opens a watch; `events` fills up as it goes. */
  watch(url: string): OpenWatch
}

export interface OpenWatch {
  readonly events: readonly WatchedEvent[]
  isEnded(): boolean
  close(): void
}

export interface WatchedEvent {
  readonly type: string
  readonly object: JsonRecord
}

export function localApi(options: KubeApiOptions = {}): LocalApi {
  const api = makeKubeApi(options)
  addNamespaces(api)
  // eslint-disable-next-line max-params -- as one writes a request, and what few need
  const ask: LocalApi['ask'] = (method, url, body, more = {}) => {
    const answer = api.handle({
      method,
      url,
      contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...more,
    })
    assert.notEqual(answer.kind, 'stream')
    const status = answer.kind === 'stream' ? 0 : answer.status
    return { status, body: answer.kind === 'json' && isRecord(answer.body) ? answer.body : {} }
  }
  return {
    ...api,
    ask,
    must(method, url, body) {
      const answer = ask(method, url, body)
      assert.ok(answer.status < 300, `${method} ${url}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    watch: (url) => openWatch(api, url),
  }
}

function openWatch(api: KubeApi, url: string): OpenWatch {
  const answer = api.handle({ method: 'GET', url })
  assert.equal(answer.kind, 'stream', JSON.stringify(answer))
  const events: WatchedEvent[] = []
  const closed = new AbortController()
  let isEnded = false
  const sink: EventSink = {
    closed: closed.signal,
    write: (event) => {
      const { type, object } = recordOf(event)
      events.push({ type: textOf(type), object: recordOf(object) })
    },
    end: () => {
      isEnded = true
    },
  }
  if (answer.kind === 'stream') answer.open(sink)
  return { events, isEnded: () => isEnded, close: () => closed.abort() }
}

/** `ADDED a`, `DELETED b`: what a watch said of which object. */
export function shortEvents(events: readonly WatchedEvent[]): readonly string[] {
  return events.map(({ type, object }) => `${type} ${textOf(valueAt(object, ['metadata', 'name']))}`.trim())
}
