// One page of a list. Items are read one by one as they arrive.
import { z } from 'zod'
import type { Log } from '../../ambient/ports.ts'
import { TransientError } from '../../errors/transient-error.ts'
import type { Resource } from '../../kubernetes/ports.ts'
import type { Seen } from '../../kubernetes/watch-ports.ts'
import { brokenOff } from './broken-off.ts'
import { readSeen } from './read-object.ts'
import { resourcePath } from './resource-path.ts'
import type { RestClient } from './rest-client.ts'
import type { RestAnswer } from './rest-exchange.ts'
import { splitList } from './split-list.ts'

export interface ListQuery<T> {
  readonly namespace?: string | undefined
  readonly limit: number
  /** The `next` of the page before. */
  readonly next?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Each object as soon as it is read. One that does not parse is left out and logged. */
  readonly onItem: (seen: Seen<T>) => void
  readonly signal?: AbortSignal | undefined
}

export type Page =
  | {
      readonly kind: 'page'
      readonly resourceVersion: string
      readonly next: string | undefined
    }
  /** Anything but 200. */
  | { readonly kind: 'refused'; readonly answer: RestAnswer; readonly doing: string }

export async function readListPage<T>(
  { rest, log }: { readonly rest: RestClient; readonly log: Log },
  resource: Resource<T>,
  { namespace, next, signal, onItem, ...selection }: ListQuery<T>,
): Promise<Page> {
  const doing = `list "${resource.plural}"`
  const path = resourcePath(resource, { namespace })
  const inTime = AbortSignal.timeout(rest.timeouts.totalMs)
  const until = signal === undefined ? inTime : AbortSignal.any([signal, inTime])
  const answer = await rest.stream({
    method: 'GET',
    path,
    query: { ...selection, continue: next },
    doing,
    signal: until,
  })
  if (!('stream' in answer)) return { kind: 'refused', answer, doing }
  try {
    const splitting = splitList(answer.stream, maxItemBytes)
    for (;;) {
      const step = await splitting.next()
      if (step.done === true) return { kind: 'page', ...readFrame(step.value, doing) }
      const seen = readSeen(resource, JSON.parse(step.value), log)
      if (seen !== undefined) onItem(seen)
    }
  } catch (error) {
    throw brokenOff(error, doing)
  } finally {
    answer.stream.destroy()
  }
}

/** etcd holds 1.5 MiB per object; JSON and managed fields may make more of it. */
const maxItemBytes = 8 * 1024 * 1024

const Frame = z.object({
  metadata: z.object({ resourceVersion: z.string().optional(), continue: z.string().optional() }),
  items: z.array(z.never()).nullable(),
})

/** A body that is no list must never read as an empty one: emptiness is acted on. */
function readFrame(
  text: string,
  doing: string,
): { readonly resourceVersion: string; readonly next: string | undefined } {
  const frame = Frame.safeParse(JSON.parse(text)).data
  if (frame === undefined) {
    throw new TransientError(
      `Cannot ${doing}: the answer is no list, something between here and the API server answers for it`,
      { reason: 'ResponseInvalid' },
    )
  }
  const { resourceVersion = '', continue: next } = frame.metadata
  return { resourceVersion, next: next === '' ? undefined : next }
}
