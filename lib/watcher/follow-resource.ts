// The list-watch loop of one resource. At any time there is one list or one watch, never two.
//
//   list ──> watch ──closed by the server, or silent──> watch from the last resourceVersion, at once
//    ^        │ └─────failed───────────────────────────> the same, after a back-off that grows
//    └──410───┘
import { backOffMs } from './back-off.ts'
import type { Attempt, FollowDeps } from './feed-attempt.ts'
import { readList } from './read-list.ts'
import { readWatch } from './read-watch.ts'

/** Runs until `signal` aborts; never rejects. */
export async function followResource<T>(deps: FollowDeps<T>, signal: AbortSignal): Promise<void> {
  let resourceVersion: string | undefined
  let badInRow = 0
  while (!signal.aborted) {
    const attempt =
      resourceVersion === undefined
        ? await readList(deps, signal)
        : await readWatch(deps, resourceVersion, signal)
    if (signal.aborted) return
    resourceVersion = attempt.resourceVersion
    if (attempt.isGood) badInRow = 0
    if (attempt.kind !== 'listed' && attempt.kind !== 'not-served') badInRow += 1
    const waitMs = pauseMs(attempt.kind, badInRow, deps)
    if (waitMs > 0) await deps.clock.wait(waitMs, signal)
  }
}

/** A first close or 410 is answered at once; only a row of them is slowed down. */
function pauseMs<T>(kind: Attempt['kind'], badInRow: number, { settings, random }: FollowDeps<T>): number {
  switch (kind) {
    case 'listed':
      return 0
    case 'not-served':
      return settings.notServedMs
    case 'closed':
    case 'expired':
      return badInRow <= 1 ? 0 : backOffMs(badInRow - 1, settings.backOff, random)
    case 'failed':
      return backOffMs(badInRow, settings.backOff, random)
  }
}
