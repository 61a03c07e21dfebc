import type { Clock } from '../../ambient/ports.ts'

/** A timer of more than 2^31 - 1 ms would fire at once. */
const longestTimerMs = 2 ** 31 - 1

export function makeSystemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    async wait(durationMs, signal) {
      for (let leftMs = durationMs; leftMs > 0 && signal?.aborted !== true; leftMs -= longestTimerMs) {
        await timer(Math.min(leftMs, longestTimerMs), signal)
      }
    },
  }
}

/** Not timers/promises: most waits here are given up, and an error with a stack for each is dear. */
function timer(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timeout)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timeout = setTimeout(end, durationMs)
    signal?.addEventListener('abort', end)
  })
}
