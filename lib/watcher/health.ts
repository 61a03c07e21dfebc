// Whether the watcher is of any use. Alive: everything it listens to answered lately and its messages get through;
// otherwise a restart may help. Ready: it has the whole picture and has told it.

export interface HealthFacts {
  readonly startedAtMs: number
  /** Instant of the last answer per feed; absent before the first. */
  readonly heardAtMs: Readonly<Record<string, number | undefined>>
  readonly unsyncedFeeds: readonly string[]
  readonly lastSentAtMs: number | undefined
  readonly failingSinceMs: number | undefined
}

export interface Health {
  readonly isAlive: boolean
  readonly isReady: boolean
  readonly problems: readonly string[]
}

export function healthOf(
  facts: HealthFacts,
  { nowMs, limitMs }: { readonly nowMs: number; readonly limitMs: number },
): Health {
  const silent = Object.entries(facts.heardAtMs)
    .filter(([, heardAtMs]) => nowMs - (heardAtMs ?? facts.startedAtMs) > limitMs)
    .map(([feed]) => `nothing heard of ${feed}`)
  const isFailing = facts.failingSinceMs !== undefined && nowMs - facts.failingSinceMs > limitMs
  const fatal = [...silent, ...(isFailing ? ['messages cannot be sent'] : [])]
  const unsynced = facts.unsyncedFeeds.map((feed) => `${feed} is not in sync`)
  const untold = facts.lastSentAtMs === undefined ? ['nothing was sent yet'] : []
  return {
    isAlive: fatal.length === 0,
    isReady: fatal.length === 0 && unsynced.length === 0 && untold.length === 0,
    problems: [...fatal, ...unsynced, ...untold],
  }
}
