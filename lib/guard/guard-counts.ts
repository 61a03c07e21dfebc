/** What one pass saw and did: its log line and its metrics. */
export interface GuardCounts {
  /** Records that were looked at. */
  readonly examined: number
  /** Hosts that a look was asked for. */
  readonly probed: number
  /** Hosts that owe a leave, claims that seemed stale and Nodes that seemed left behind. */
  readonly marked: number
  /** Of those, how many a fresh look confirmed and something was done about. */
  readonly confirmed: number
  /** Of those, how many turned out to be alive, or could not be told, or have to wait. */
  readonly spared: number
  /** Claims whose NodeClaim is gone: released, or asked to leave first. */
  readonly staleClaims: number
  readonly resumedRuns: number
  readonly collectedTokens: number
  /** Actions that failed or that there was no time for: the next pass finds them again. */
  readonly errors: number
  readonly silentClusters: number
}

export function sumCounts(all: readonly Partial<GuardCounts>[]): GuardCounts {
  const total = (name: keyof GuardCounts): number => all.reduce((sum, counts) => sum + (counts[name] ?? 0), 0)
  return {
    examined: total('examined'),
    probed: total('probed'),
    marked: total('marked'),
    confirmed: total('confirmed'),
    spared: total('spared'),
    staleClaims: total('staleClaims'),
    resumedRuns: total('resumedRuns'),
    collectedTokens: total('collectedTokens'),
    errors: total('errors'),
    silentClusters: total('silentClusters'),
  }
}

export const spared: Partial<GuardCounts> = { marked: 1, spared: 1 }
export const confirmed: Partial<GuardCounts> = { marked: 1, confirmed: 1 }
