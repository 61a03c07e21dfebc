// Lists and watches. A watch is one HTTP answer that never ends: one JSON event per line.
import { z } from 'zod'
import type { Log } from '../../ambient/ports.ts'
import type { Resource } from '../../kubernetes/ports.ts'
import type { ResourceFeed, WatchEvent, WatchOptions } from '../../kubernetes/watch-ports.ts'
import { brokenOff } from './broken-off.ts'
import type { KubeConnection } from './connection.ts'
import type { KubernetesDeps } from './kubernetes.ts'
import { readListPage } from './read-list.ts'
import { identityOf, readSeen } from './read-object.ts'

import { readLines } from './read-lines.ts'
import { resourcePath } from './resource-path.ts'
import { defaultTimeouts, makeRestClient, type RestClient } from './rest-client.ts'
import { statusOf } from './status.ts'
import { statusError } from './translate-error.ts'

/** etcd holds 1.5 MiB per object; JSON and managed fields may make more of it. */
const maxLineBytes = 8 * 1024 * 1024

export function makeResourceFeed(connection: KubeConnection, deps: KubernetesDeps): ResourceFeed {
  const rest = makeRestClient(connection, { ...deps, timeouts: deps.timeouts ?? defaultTimeouts })
  return {
    async listPage(resource, options) {
      const page = await readListPage({ rest, log: deps.log }, resource, options)
      if (page.kind === 'page') return page
      if (page.answer.status === 404) return { kind: 'not-served' }
      if (page.answer.status === 410) return { kind: 'expired' }
      throw statusError(page.doing, page.answer)
    },
    watch: (resource, options) => openWatch(rest, { resource, options, log: deps.log }),
  }
}

interface Watched<T> {
  readonly resource: Resource<T>
  readonly options: WatchOptions
  readonly log: Log
}

/** To be told to end is no failure, whatever the connection makes of it. */
async function* openWatch<T>(rest: RestClient, watched: Watched<T>): AsyncGenerator<WatchEvent<T>> {
  const { signal } = watched.options
  try {
    yield* readWatch(rest, watched)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function* readWatch<T>(
  rest: RestClient,
  { resource, options, log }: Watched<T>,
): AsyncGenerator<WatchEvent<T>> {
  const { namespace, signal, resourceVersion, timeoutSeconds } = options
  const doing = `watch "${resource.plural}"`
  const path = resourcePath(resource, { namespace })
  const query = { watch: 1, allowWatchBookmarks: 'true', resourceVersion, timeoutSeconds }
  const answer = await rest.stream({ method: 'GET', path, query, doing, signal })
  if (!('stream' in answer)) {
    if (answer.status !== 410 && answer.status !== 404) throw statusError(doing, answer)
    yield { kind: 'expired' }
    return
  }
  try {
    yield { kind: 'opened' }
    for await (const line of readLines(answer.stream, maxLineBytes)) {
      const event = eventOf(line, { resource, doing, log })
      yield event
      if (event.kind === 'expired') return
    }
  } catch (error) {
    throw brokenOff(error, doing)
  } finally {
    answer.stream.destroy()
  }
}

interface Reading<T> {
  readonly resource: Resource<T>
  readonly doing: string
  readonly log: Log
}

const Envelope = z.object({ type: z.string(), object: z.unknown() })

function eventOf<T>(line: string, { resource, doing, log }: Reading<T>): WatchEvent<T> {
  const envelope = Envelope.parse(JSON.parse(line))
  const { uid, resourceVersion } = identityOf(envelope.object)
  switch (envelope.type) {
    case 'ADDED':
    case 'MODIFIED': {
      const known = readSeen(resource, envelope.object, log)
      return known === undefined ? { kind: 'unreadable', uid, resourceVersion } : { kind: 'put', seen: known }
    }
    case 'DELETED':
      return { kind: 'deleted', uid, resourceVersion }
    case 'BOOKMARK':
      return { kind: 'bookmark', resourceVersion }
    default:
      return refusal(envelope.object, doing)
  }
}

/** An ERROR event carries a Status, never an object of the resource. */
function refusal(body: unknown, doing: string): { readonly kind: 'expired' } {
  const status = statusOf(body)
  if (status?.code === 410 || status?.reason === 'Expired' || status?.reason === 'Gone')
    return { kind: 'expired' }
  throw statusError(doing, { status: status?.code ?? 500, body, retryAfterMs: undefined })
}
