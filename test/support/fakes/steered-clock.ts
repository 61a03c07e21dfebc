import type { Clock } from '../../../lib/ambient/ports.ts'

/** Like fakeClock, but a wait lasts until a test has moved the time past it. */
export interface SteeredClock extends Clock {
  /** Moves the time and wakes whoever waited for it; resolves when they have had their turn. */
  advance(durationMs: number): Promise<void>
}

export function steeredClock(startMs: number): SteeredClock {
  let nowMs = startMs
  let sleepers: { readonly atMs: number; readonly wake: () => void }[] = []
  return {
    nowMs: () => nowMs,
    wait: (durationMs, signal) =>
      new Promise((wake) => {
        const end = (): void => wake()
        if (signal?.aborted === true) end()
        signal?.addEventListener('abort', end, { once: true })
        sleepers.push({ atMs: nowMs + durationMs, wake })
      }),
    async advance(durationMs) {
      nowMs += durationMs
      const due = sleepers.filter(({ atMs }) => atMs <= nowMs)
      sleepers = sleepers.filter(({ atMs }) => atMs > nowMs)
      due.forEach(({ wake }) => wake())
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
