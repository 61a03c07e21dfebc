import type { Seen } from '../kubernetes/watch-ports.ts'
import { type Attempt, type FollowDeps, noteFailure, placeOf } from './feed-attempt.ts'

/**
 * Reads the whole list, object by object, page by page. What the list did not name is gone, whatever events were missed.
 */
export async function readList<T>(deps: FollowDeps<T>, signal: AbortSignal): Promise<Attempt> {
  try {
    return await deps.inTurn(() => readPages(deps, signal))
  } catch (error) {
    noteFailure(deps, error, signal)
    return { kind: 'failed', isGood: false }
  }
}

async function readPages<T>(deps: FollowDeps<T>, signal: AbortSignal): Promise<Attempt> {
  const named = new Set<string>()
  const onItem = (seen: Seen<T>): void => {
    named.add(seen.uid)
    deps.sink.put(seen)
  }
  let resourceVersion: string | undefined
  let next: string | undefined
  do {
    const options = { ...placeOf(deps), limit: deps.settings.pageSize, next, onItem, signal }
    const page = await deps.feed.listPage(deps.resource, options)
    deps.sink.heard()
    if (page.kind === 'expired') return { kind: 'expired', isGood: false }
    if (page.kind === 'not-served') break
    // Where the first page was taken: from there a watch tells whatever happened between the pages.
    resourceVersion ??= page.resourceVersion
    next = page.next
  } while (next !== undefined)
  deps.sink.retain(named)
  deps.sink.synced()
  return resourceVersion === undefined
    ? { kind: 'not-served', isGood: false }
    : { kind: 'listed', resourceVersion, isGood: false }
}
