import type { WatchEvent } from '../kubernetes/watch-ports.ts'
import { type Attempt, type FollowDeps, noteFailure, placeOf } from './feed-attempt.ts'

/** One watch, until the server closes it, it fails, it says nothing for too long or `signal` aborts. */
export async function readWatch<T>(deps: FollowDeps<T>, from: string, signal: AbortSignal): Promise<Attempt> {
  const { clock, settings, sink } = deps
  const progress: Progress = {
    resourceVersion: from,
    heardAtMs: clock.nowMs(),
    openedAtMs: undefined,
    events: 0,
  }
  const over = new AbortController()
  const watchSignal = AbortSignal.any([signal, over.signal])
  void abortWhenSilent(deps, progress, over)
  let kind: Attempt['kind'] = 'closed'
  try {
    const options = {
      ...placeOf(deps),
      resourceVersion: from,
      timeoutSeconds: settings.watchSeconds,
      signal: watchSignal,
    }
    for await (const event of deps.feed.watch(deps.resource, options)) {
      progress.heardAtMs = clock.nowMs()
      sink.heard()
      if (event.kind === 'expired') kind = 'expired'
      else applyEvent(deps, event, progress)
    }
  } catch (error) {
    noteFailure(deps, error, signal)
    kind = 'failed'
  } finally {
    over.abort()
  }
  const isGood =
    progress.events > 0 || clock.nowMs() - (progress.openedAtMs ?? Infinity) >= settings.backOff.shortestMs
  return kind === 'expired' ? { kind, isGood } : { kind, isGood, resourceVersion: progress.resourceVersion }
}

interface Progress {
  resourceVersion: string
  heardAtMs: number
  openedAtMs: number | undefined
  /** Told so far, bookmarks included. */
  events: number
}

function applyEvent<T>(
  { sink, clock }: FollowDeps<T>,
  event: Exclude<WatchEvent<T>, { readonly kind: 'expired' }>,
  progress: Progress,
): void {
  if (event.kind === 'opened') {
    progress.openedAtMs = clock.nowMs()
    sink.synced()
    return
  }
  progress.events += 1
  progress.resourceVersion = event.kind === 'put' ? event.seen.resourceVersion : event.resourceVersion
  if (event.kind === 'put') sink.put(event.seen)
  if (event.kind === 'deleted' || event.kind === 'unreadable') sink.remove(event.uid)
}

/** A connection can be gone without a word: then only a new one tells. */
async function abortWhenSilent<T>(
  { clock, settings, log, resource }: FollowDeps<T>,
  progress: Progress,
  over: AbortController,
): Promise<void> {
  while (!over.signal.aborted) {
    const leftMs = progress.heardAtMs + settings.silenceMs - clock.nowMs()
    if (leftMs <= 0) {
      log.info('watcher.watch-silent', { resource: resource.plural, silentMs: settings.silenceMs })
      over.abort()
      return
    }
    await clock.wait(leftMs, over.signal)
  }
}
