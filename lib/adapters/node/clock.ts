import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../ambient/ports.ts'

/** A timer of more than 2^31 - 1 ms would fire at once. */
const longestTimerMs = 2 ** 31 - 1

export function makeSystemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    async wait(durationMs, signal) {
      for (let leftMs = durationMs; leftMs > 0 && signal?.aborted !== true; leftMs -= longestTimerMs) {
        await sleep(Math.min(leftMs, longestTimerMs), undefined, signal ? { signal } : {}).catch(
          () => undefined,
        )
      }
    },
  }
}
