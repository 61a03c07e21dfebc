import type { ListPage } from '../kubernetes/watch-ports.ts'
import { type Attempt, type FollowDeps, noteFailure, placeOf } from './feed-attempt.ts'

/**
 * Reads the whole list, page by page: each page is kept and forgotten before the next is asked for. What the list did not
 * name is gone, whatever events were missed.
 */
export async function readList<T>(deps: FollowDeps<T>, signal: AbortSignal): Promise<Attempt> {
  try {
    return await readPages(deps, signal)
  } catch (error) {
    noteFailure(deps, error, signal)
    return { kind: 'failed', isGood: false }
  }
}

async function readPages<T>(deps: FollowDeps<T>, signal: AbortSignal): Promise<Attempt> {
  const named = new Set<string>()
  let page = await nextPage(deps, undefined, signal)
  // Where the first page was taken: from there a watch tells whatever happened between the pages.
  const resourceVersion = page.kind === 'page' ? page.resourceVersion : ''
  for (;;) {
    if (page.kind === 'expired') return { kind: 'expired', isGood: false }
    for (const seen of page.kind === 'page' ? page.items : []) {
      named.add(seen.uid)
      deps.sink.put(seen)
    }
    if (page.kind === 'not-served' || page.next === undefined) break
    page = await nextPage(deps, page.next, signal)
  }
  deps.sink.retain(named)
  deps.sink.synced()
  return page.kind === 'not-served'
    ? { kind: 'not-served', isGood: false }
    : { kind: 'listed', resourceVersion, isGood: false }
}

async function nextPage<T>(
  deps: FollowDeps<T>,
  next: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<T>> {
  const page = await deps.feed.listPage(deps.resource, {
    ...placeOf(deps),
    ...(next === undefined ? {} : { next }),
    limit: deps.settings.pageSize,
    signal,
  })
  deps.sink.heard()
  return page
}
