import type { Clock } from '../../../lib/ambient/ports.ts'

/** Stands still until a test moves it; a wait moves it by itself, so that no test sleeps. */
export interface FakeClock extends Clock {
  advance(durationMs: number): void
  /** Every duration that was waited for, in order. */
  readonly waits: readonly number[]
}

export function fakeClock(startMs: number): FakeClock {
  let nowMs = startMs
  const waits: number[] = []
  return {
    waits,
    nowMs: () => nowMs,
    advance(durationMs) {
      nowMs += durationMs
    },
    wait(durationMs, signal) {
      waits.push(durationMs)
      if (signal?.aborted !== true) nowMs += durationMs
      return Promise.resolve()
    },
  }
}
